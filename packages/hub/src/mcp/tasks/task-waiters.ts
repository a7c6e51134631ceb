import { waitersPerTaskMax } from './limits.js'

/** `superseded`: too many wait for the same task, and this one has waited longest. */
export type Change = 'changed' | 'superseded'

/** Requests that wait until something becomes of a task. */
export class TaskWaiters {
  /** By task; the oldest first. */
  readonly #byTask = new Map<string, Set<(change: Change) => void>>()

  /** Over HTTP, whoever lost a stream and came back waits twice, and only the later one is heard: it must find room. */
  change(task: string, signal: AbortSignal): Promise<Change> {
    const waiting = this.#byTask.get(task) ?? new Set()
    this.#byTask.set(task, waiting)
    if (waiting.size >= waitersPerTaskMax) [...waiting][0]?.('superseded')
    return new Promise((resolve) => {
      const end = (change: Change) => {
        signal.removeEventListener('abort', onAbort)
        waiting.delete(end)
        if (waiting.size === 0) this.#byTask.delete(task)
        resolve(change)
      }
      const onAbort = () => end('changed')
      waiting.add(end)
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  wake(task: string): void {
    for (const end of [...(this.#byTask.get(task) ?? [])]) end('changed')
  }
}
