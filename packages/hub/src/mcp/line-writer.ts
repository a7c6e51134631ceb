import type { Writable } from 'node:stream'
import { largeLineBytes } from './limits.js'
import { ownBytes } from './own-bytes.js'

/** What goes out together: text in one encoding, or bytes as they are. */
type Run = { text: string; readonly encoding: 'utf8' | 'latin1' } | Uint8Array

/**
 * Joins the lines between two flushes into one write. A line of ours is text; a line that holds a worker's bytes is text with one character
 * per byte, which costs neither a decoding nor an encoding, or, when it is large, those very bytes.
 */
export class LineWriter {
  readonly #output: Writable
  #runs: Run[] = []
  #length = 0

  constructor(output: Writable) {
    this.#output = output
  }

  /** Bytes, more or less, that wait for the end of the tick or for the reader. */
  get waiting(): number {
    return this.#length + this.#output.writableLength
  }

  line(text: string): void {
    this.#append(`${text}\n`, 'utf8')
  }

  /** `head` and `tail`: characters below 256, one for each byte. */
  lineAround(head: string, body: Buffer, tail: string): void {
    if (body.length < largeLineBytes) return this.#append(`${head}${body.toString('latin1')}${tail}\n`, 'latin1')
    this.#append(head, 'latin1')
    // A reader may take its time.
    this.#add(ownBytes(body), body.length)
    this.#append(`${tail}\n`, 'latin1')
  }

  flush(): void {
    const runs = this.#runs
    if (runs.length === 0) return
    this.clear()
    if (!this.#output.writable) return
    if (runs.length > 1) this.#output.cork()
    for (const run of runs) {
      if (run instanceof Uint8Array) this.#output.write(run)
      else this.#output.write(run.text, run.encoding)
    }
    if (runs.length > 1) this.#output.uncork()
  }

  clear(): void {
    this.#runs = []
    this.#length = 0
  }

  #append(text: string, encoding: 'utf8' | 'latin1'): void {
    const last = this.#runs.at(-1)
    if (last === undefined || last instanceof Uint8Array || last.encoding !== encoding) {
      return this.#add({ text, encoding }, text.length)
    }
    last.text += text
    this.#length += text.length
  }

  #add(run: Run, length: number): void {
    this.#runs.push(run)
    this.#length += length
  }
}
