/** How long the GPU is busy with a picture: from its order to the moment a fence behind it is passed. */
export interface GpuClock {
  /** Call after a picture was ordered; `report` is called later with milliseconds, at most once for pictures in quick succession. */
  measure(report: (milliseconds: number) => void): void
  /** Drops the pending measurement: a lost context loses its fences. */
  reset(): void
}

const POLL_MILLISECONDS = 3
const MAX_MILLISECONDS = 2000

export function createGpuClock(context: WebGL2RenderingContext): GpuClock {
  let fence: WebGLSync | null = null
  return {
    measure(report) {
      if (fence) return
      fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0)
      context.flush()
      const begin = performance.now()
      const look = () => {
        if (!fence) return
        const passed = performance.now() - begin
        const isDone = context.getSyncParameter(fence, context.SYNC_STATUS) === context.SIGNALED
        if (!isDone && passed < MAX_MILLISECONDS) return void setTimeout(look, POLL_MILLISECONDS)
        context.deleteSync(fence)
        fence = null
        report(passed)
      }
      setTimeout(look, POLL_MILLISECONDS)
    },
    reset() {
      fence = null
    },
  }
}
