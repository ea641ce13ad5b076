/** Interaction with the liquid: stirring, a ball that is dragged through it, changed gravity. The same on both sides. */
import type { Influence, Vector } from 'peel'
import type { Drawing } from 'peel/web'
import type { Held } from '../link/recording.js'
import type { Page } from '../page.js'
import { SIDES, timesOf } from '../settings.js'
import type { Pointed, PointerTool } from './gestures.js'

export interface Hand {
  readonly stir: PointerTool
  readonly ball: PointerTool
  /** m/s², null for that of the scene. */
  setGravity(gravity: Vector | null): void
  readonly gravity: Vector | null
  /** The current interaction of the page. */
  adopt(held: Held): void
  /** Removes the ball from the liquid. */
  putAway(): void
}

/** Shares of the longest and of the shortest side of the domain. */
const BRUSH = 0.09
const BALL = 0.11

export function createHand(page: Page): Hand {
  let gravity: Vector | null = null
  /** Where the brush is now, and where it was when the last frame was shown. */
  let brush: { now: Vector; before: Vector } | undefined
  let isBallThere = false

  /** Under the pointer at once; the one in the liquid follows as fast as it may. */
  function showBall(ball: Parameters<Drawing['stage']['setObstacle']>[0]): void {
    if (!isBallThere && !ball) return
    isBallThere = ball !== null
    for (const name of SIDES) {
      const { drawing } = page.sides.all[name]
      drawing?.stage.setObstacle(ball)
      drawing?.render()
    }
  }

  const influence = (change: Influence) => page.influence(change)
  const sizes = () => page.scene.scene.domain.size
  const placeOf = ({ drawing, x, y }: Pointed) => drawing.toScene(x, y)

  page.onMoment(moments => {
    const moment = moments.b ?? moments.a
    // A restarted simulation has no interaction.
    if (moment?.frame.index === 0) {
      showBall(null)
      if (gravity) influence({ gravity })
    }
    if (!brush) return
    brush.before = brush.now
    influence({ stir: null })
  })

  /** The liquid under the pointer moves in the next frame as far as the pointer has since the last one. */
  function drive({ now, before }: { readonly now: Vector; readonly before: Vector }): void {
    const { fps } = timesOf(page.scene.scene, page.settings.frameRate)
    const [u, v, w] = now.map((value, axis) => (value - before[axis]) * fps)
    influence({ stir: { place: now, velocity: [u, v, w], radius: BRUSH * Math.max(...sizes()) } })
  }

  const stir: PointerTool = {
    start(at) {
      const place = placeOf(at)
      brush = { now: place, before: place }
    },
    move(at) {
      if (!brush) return
      brush.now = placeOf(at)
      drive(brush)
    },
    end() {
      brush = undefined
      influence({ stir: null })
    },
  }

  function moveBall(at: Pointed): void {
    const ball = { centre: placeOf(at), radius: BALL * Math.min(...sizes()) }
    showBall(ball)
    influence({ obstacle: ball })
  }

  return {
    stir,
    ball: { start: moveBall, move: moveBall, end: () => {} },
    setGravity(next) {
      gravity = next
      influence({ gravity })
    },
    get gravity() {
      return gravity
    },
    adopt(held) {
      gravity = held.gravity ?? null
      showBall(held.obstacle ?? null)
    },
    putAway() {
      if (isBallThere) influence({ obstacle: null })
      showBall(null)
    },
  }
}
