import { now } from '../hub-process.js'
import type { Point } from './linear-trend.js'
import { usageOf } from './process-usage.js'

/** Looks at what a process holds in memory, every so often, until it is closed. */
export class MemoryWatch implements Disposable {
  readonly points: Point[] = []
  readonly #timer: NodeJS.Timeout

  constructor(pid: number, everyMs: number) {
    const look = () => this.points.push({ at: now(), value: usageOf(pid).residentBytes })
    look()
    this.#timer = setInterval(look, everyMs)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
