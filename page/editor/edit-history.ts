/** Undo and redo of edits. Of edits that follow each other faster than they can be shown, only the last is shown. */

export interface EditHistory<S> {
  /** The newest scene, even if it is not shown yet. */
  readonly current: S
  /** States that undo returns to, the most recent last. */
  readonly past: readonly S[]
  /** One step that can be undone. */
  commit(next: S): void
  /** Part of a step that is still in progress: visible, but undone together with the next commit. */
  preview(next: S): void
  undo(): void
  /** Replaces the history by these steps. */
  recall(steps: readonly S[]): void
}

/** `shown`: the current scene, whatever changed it. */
export function createEditHistory<S>(shown: () => S, show: (next: S) => Promise<void>): EditHistory<S> {
  let past: S[] = []
  let latest = shown()
  /** The scene before the step in progress. */
  let begun: S | undefined
  let waiting: { readonly next: S } | undefined
  let isShowing = false

  /** Another scene was opened: there is nothing to undo. */
  function follow(): void {
    if (isShowing || shown() === latest) return
    past = []
    begun = undefined
    latest = shown()
  }

  async function bring(next: S): Promise<void> {
    latest = next
    waiting = { next }
    if (isShowing) return
    isShowing = true
    while (waiting) {
      const { next: now } = waiting
      waiting = undefined
      await show(now)
    }
    isShowing = false
  }

  return {
    get current() {
      follow()
      return latest
    },
    get past() {
      follow()
      return past
    },
    commit(next) {
      follow()
      past.push(begun ?? latest)
      begun = undefined
      void bring(next)
    },
    preview(next) {
      follow()
      begun ??= latest
      void bring(next)
    },
    undo() {
      follow()
      const before = begun ?? past.pop()
      begun = undefined
      if (before !== undefined) void bring(before)
    },
    recall(steps) {
      past = [...steps]
      begun = waiting = undefined
      latest = shown()
    },
  }
}
