import * as limits from '../limits.js'

/** Passes a child's stderr on line by line: its JSON log as it is, anything else behind the child's name. */
export class StderrLines {
  readonly #name: string
  readonly #write: (line: string) => void
  #partial = ''
  /** The last line, or the last that was meant for people. */
  complaint: string | undefined

  constructor(name: string, write: (line: string) => void) {
    this.#name = name
    this.#write = write
  }

  push(chunk: Buffer): void {
    const lines = (this.#partial + chunk.toString('utf8')).split('\n')
    this.#partial = lines.pop()!
    for (const line of lines) this.#pass(line)
    if (this.#partial.length > limits.stderrLineBytesMax) this.end()
  }

  end(): void {
    if (this.#partial !== '') this.#pass(this.#partial)
    this.#partial = ''
  }

  #pass(line: string): void {
    if (line.startsWith('callboard: ')) this.complaint = line.slice('callboard: '.length)
    if (line !== '') this.#write(line.startsWith('{') ? line : `[${this.#name}] ${line}`)
  }
}
