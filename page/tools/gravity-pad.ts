/** A pad that sets the direction of gravity; devices with an orientation sensor can set it instead. */
import type { Vector } from 'peel'
import { gravityOfDevice, gravityOfPad, padOfGravity } from './tilt.js'

export interface GravityPadOptions {
  readonly dims: () => 2 | 3
  /** m/s². */
  readonly strength: () => number
  /** Null: as the scene has it. */
  readonly onGravity: (gravity: Vector | null) => void
  readonly onNotice: (sentence: string) => void
}

export interface GravityPad {
  show(gravity: Vector | null): void
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}
/** Of the pad's radius, for one press of a key. */
const STEP = 0.2

export function createGravityPad(container: HTMLElement, options: GravityPadOptions): GravityPad {
  container.innerHTML = `
    <svg class="pad" viewBox="-1.15 -1.15 2.3 2.3" tabindex="0" role="slider" aria-label="Direction of gravity"
      aria-valuemin="-180" aria-valuemax="180">
      <circle r="1" class="rim" /><line x1="0" y1="0" /><circle r="0.2" class="knob" />
    </svg>
    <div><button type="button" class="straight">Straight down</button> <button type="button" class="device">Tilt the device</button></div>`
  const pad = container.querySelector('svg')!
  const device = container.querySelector<HTMLButtonElement>('.device')!
  let place: readonly [number, number] = [0, -1]
  let stopDevice: (() => void) | undefined

  const straight = (): readonly [number, number] => (options.dims() === 2 ? [0, -1] : [0, 0])

  function draw([x, y]: readonly [number, number]): void {
    place = [x, y]
    const line = pad.querySelector('line')!
    line.setAttribute('x2', String(x))
    line.setAttribute('y2', String(-y))
    const knob = pad.querySelector('.knob')!
    knob.setAttribute('cx', String(x))
    knob.setAttribute('cy', String(-y))
    // From straight down, counterclockwise.
    const angle = Math.round((Math.atan2(x, -y) * 180) / Math.PI)
    pad.setAttribute('aria-valuenow', String(angle))
    pad.setAttribute('aria-valuetext', options.dims() === 2 ? `${angle} degrees from straight down` : tray(x, y))
  }

  function choose(x: number, y: number): void {
    const gravity = gravityOfPad(x, y, options.strength(), options.dims())
    draw(padOfGravity(gravity, options.dims()))
    options.onGravity(gravity)
  }

  function reset(): void {
    endDevice()
    draw(straight())
    options.onGravity(null)
  }

  function endDevice(): void {
    stopDevice?.()
    stopDevice = undefined
    device.setAttribute('aria-pressed', 'false')
  }

  function follow(event: PointerEvent): void {
    const { left, top, width, height } = pad.getBoundingClientRect()
    choose(((event.clientX - left) / width - 0.5) * 2.3, (0.5 - (event.clientY - top) / height) * 2.3)
  }

  pad.addEventListener('pointerdown', event => {
    event.preventDefault()
    pad.focus()
    pad.setPointerCapture(event.pointerId)
    endDevice()
    follow(event)
  })
  pad.addEventListener('pointermove', event => {
    if (pad.hasPointerCapture(event.pointerId)) follow(event)
  })
  pad.addEventListener('keydown', event => {
    const way = ARROWS[event.key]
    if (!way) return
    event.preventDefault()
    event.stopPropagation()
    endDevice()
    choose(place[0] + STEP * way[0], place[1] + STEP * way[1])
  })
  container.querySelector<HTMLButtonElement>('.straight')!.onclick = reset
  device.hidden = !('DeviceOrientationEvent' in globalThis) || !matchMedia('(pointer: coarse)').matches
  device.setAttribute('aria-pressed', 'false')
  device.onclick = async () => {
    if (stopDevice) {
      reset()
      return
    }
    if (!(await mayFeelTilt())) {
      options.onNotice(
        'The orientation of the device is not available; allow motion and orientation for this page, or use the pad.',
      )
      return
    }
    const listen = ({ beta, gamma }: DeviceOrientationEvent) => {
      if (beta === null || gamma === null) return
      const gravity = gravityOfDevice(beta, gamma, screen.orientation?.angle ?? 0, options.strength(), options.dims())
      draw(padOfGravity(gravity, options.dims()))
      options.onGravity(gravity)
    }
    addEventListener('deviceorientation', listen)
    stopDevice = () => removeEventListener('deviceorientation', listen)
    device.setAttribute('aria-pressed', 'true')
  }
  draw(straight())
  return { show: gravity => draw(gravity ? padOfGravity(gravity, options.dims()) : straight()) }
}

function tray(x: number, y: number): string {
  const share = Math.round(100 * Math.hypot(x, y))
  if (share === 0) return 'straight down'
  const along = Math.abs(x) > Math.abs(y) ? (x > 0 ? 'to the right' : 'to the left') : y > 0 ? 'to the back' : 'to the front'
  return `${share} percent ${along}`
}

/** Some systems ask for permission, and only during a click. */
async function mayFeelTilt(): Promise<boolean> {
  const { requestPermission } = DeviceOrientationEvent as unknown as { requestPermission?: () => Promise<string> }
  try {
    return requestPermission === undefined || (await requestPermission.call(DeviceOrientationEvent)) === 'granted'
  } catch {
    return false
  }
}
