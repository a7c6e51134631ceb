import type { Writable } from 'node:stream'
import { largeLineBytes } from './limits.js'
import { ownBytes } from './own-bytes.js'

/** What goes out together: text, the bytes of a large line, or several lines that hold a worker's bytes each. */
type Run = { text: string } | Uint8Array | AroundBodies

/**
 * Joins the lines between two flushes into one write. A line of ours is text. One that holds a worker's bytes is copied together with its
 * neighbours, bytes as bytes, which costs neither a decoding nor an encoding; a large one is written from where it lies.
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
    const last = this.#runs.at(-1)
    if (last !== undefined && 'text' in last) last.text += `${text}\n`
    else this.#runs.push({ text: `${text}\n` })
    this.#length += text.length + 1
  }

  /** A line that ends behind the body with a brace. `head`: characters below 256, one for each byte. */
  lineAround(head: string, body: Buffer): void {
    this.#length += head.length + body.length + closing.length
    if (body.length >= largeLineBytes) {
      // A reader may take its time.
      this.#runs.push(Buffer.from(head, 'latin1'), ownBytes(body), closing)
      return
    }
    let last = this.#runs.at(-1)
    if (!(last instanceof AroundBodies)) {
      last = new AroundBodies()
      this.#runs.push(last)
    }
    last.push(head, body)
  }

  flush(): void {
    const runs = this.#runs
    if (runs.length === 0) return
    this.clear()
    if (!this.#output.writable) return
    if (runs.length > 1) this.#output.cork()
    for (const run of runs) {
      if (run instanceof AroundBodies) this.#output.write(run.joined())
      else if ('text' in run) this.#output.write(run.text)
      else this.#output.write(run)
    }
    if (runs.length > 1) this.#output.uncork()
  }

  clear(): void {
    this.#runs = []
    this.#length = 0
  }
}

const closing = Buffer.from('}\n')

class AroundBodies {
  readonly #heads: string[] = []
  readonly #bodies: Uint8Array[] = []
  #bytes = 0

  push(head: string, body: Uint8Array): void {
    this.#heads.push(head)
    this.#bodies.push(body)
    this.#bytes += head.length + body.length + closing.length
  }

  joined(): Buffer {
    const joined = Buffer.allocUnsafe(this.#bytes)
    let at = 0
    for (let index = 0; index < this.#heads.length; index++) {
      const body = this.#bodies[index]!
      at += joined.write(this.#heads[index]!, at, 'latin1')
      joined.set(body, at)
      at += body.length
      joined.set(closing, at)
      at += closing.length
    }
    return joined
  }
}
