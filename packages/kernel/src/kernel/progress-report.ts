import { progressBytesMax, progressIntervalMs, progressSilenceMs } from '../limits.js'
import type { RecentText } from '../output/stream-output.js'

/** A run's output while it grows, see `StreamOutput.recent`. */
export interface RecentOutput {
  readonly stdout: { recent(bytesMax: number): RecentText }
  readonly stderr: { recent(bytesMax: number): RecentText }
}

export interface Timers {
  /** Monotonic milliseconds. */
  now(): number
  /** Returns how to call it off. */
  after(ms: number, callback: () => void): () => void
}

/**
 * Streams the output of one run as MCP progress: at most one message per interval, each with the end of what there is and
 * its byte offset, because the hub may keep only the latest; while nothing is written, a sign of life now and then.
 */
export class ProgressReport {
  readonly #send: (seconds: number, message: string) => void
  readonly #read: () => RecentOutput | undefined
  readonly #timers: Timers
  readonly #startedAt: number
  #changed = false
  #stopped = false
  #cancelPending: (() => void) | undefined
  #cancelSilence: () => void = () => {}

  /** `read` is asked when a message is due; undefined while the run waits for its turn. */
  constructor(
    send: (seconds: number, message: string) => void,
    read: () => RecentOutput | undefined,
    timers: Timers = systemTimers,
  ) {
    this.#send = send
    this.#read = read
    this.#timers = timers
    this.#startedAt = timers.now()
    this.#armSilence()
  }

  /** Output has come. Told within an interval, however often this is called. */
  changed(): void {
    this.#changed = true
    if (this.#stopped) return
    this.#cancelPending ??= this.#timers.after(progressIntervalMs, () => {
      this.#cancelPending = undefined
      this.#tellOutput()
    })
  }

  /** Nothing is sent from here on. */
  stop(): void {
    this.#stopped = true
    this.#cancelPending?.()
    this.#cancelSilence()
  }

  #tellOutput(): void {
    const output = this.#changed ? this.#read() : undefined
    if (!output) return
    this.#changed = false
    const message = describe(output)
    if (message !== '') this.#tell(message)
  }

  #tell(message: string): void {
    this.#send(this.#seconds(), message)
    this.#armSilence()
  }

  #armSilence(): void {
    this.#cancelSilence()
    if (this.#stopped) return
    this.#cancelSilence = this.#timers.after(progressSilenceMs, () =>
      this.#tell(`running for ${Math.round(this.#seconds())} s`),
    )
  }

  #seconds(): number {
    return (this.#timers.now() - this.#startedAt) / 1000
  }
}

const systemTimers: Timers = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Each stream has the room that the other leaves, at least half. */
function describe({ stdout, stderr }: RecentOutput): string {
  const half = progressBytesMax / 2
  const room = (other: RecentText) => Math.max(half, progressBytesMax - Buffer.byteLength(part('', other)))
  const out = stdout.recent(room(stderr.recent(half)) - labelBytesMax)
  const err = stderr.recent(room(out) - labelBytesMax)
  return [part('stdout', out), part('stderr', err)].filter(Boolean).join('\n')
}

/** Of the line above a text, with its numbers. */
const labelBytesMax = 100

function part(name: string, { text, offset, nextOffset }: RecentText): string {
  return text === '' ? '' : `[${name} from byte ${offset}; weave_peek goes on at offset ${nextOffset}]\n${text}`
}
