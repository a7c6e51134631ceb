import { progressBytesMax, progressIntervalMs, progressSilenceMs } from '../limits.js'

export interface OutputSoFar {
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
}

/**
 * Streams the output of one run as MCP progress: at most one message per interval, each with the end of what there is and
 * its byte offset, because the hub may keep only the latest; while nothing is written, a sign of life now and then.
 */
export class ProgressReport {
  readonly #send: (seconds: number, message: string) => void
  readonly #read: () => OutputSoFar | undefined
  readonly #startedAt = performance.now()
  #pending: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined

  constructor(send: (seconds: number, message: string) => void, read: () => OutputSoFar | undefined) {
    this.#send = send
    this.#read = read
    this.#armSilence()
  }

  /** Output has come. */
  changed(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined
      const output = this.#read()
      if (output) this.#tell(describe(output))
    }, progressIntervalMs)
  }

  stop(): void {
    clearTimeout(this.#pending)
    clearTimeout(this.#silence)
  }

  #tell(message: string): void {
    this.#send(this.#seconds(), message)
    this.#armSilence()
  }

  #armSilence(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#tell(`running for ${Math.round(this.#seconds())} s`), progressSilenceMs)
  }

  #seconds(): number {
    return (performance.now() - this.#startedAt) / 1000
  }
}

function describe({ stdout, stderr, stdoutBytes, stderrBytes }: OutputSoFar): string {
  const room = stdout === '' || stderr === '' ? progressBytesMax : progressBytesMax / 2
  return [part('stdout', stdout, stdoutBytes, room), part('stderr', stderr, stderrBytes, room)]
    .filter(Boolean)
    .join('\n')
}

function part(name: string, text: string, totalBytes: number, bytesMax: number): string {
  if (text === '') return ''
  const bytes = Buffer.from(text)
  const end =
    bytes.length <= bytesMax ? text : new TextDecoder().decode(bytes.subarray(-bytesMax)).replace(/^\uFFFD+/, '')
  return `[${name}, ${totalBytes} bytes so far]\n${end}`
}
