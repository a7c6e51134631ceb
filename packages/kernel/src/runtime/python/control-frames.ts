import { controlFrameBytesMax } from '../../limits.js'

/** Four bytes of length, big-endian, then UTF-8 JSON. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const frame = Buffer.allocUnsafe(4 + body.length)
  frame.writeUInt32BE(body.length)
  body.copy(frame, 4)
  return frame
}

/** Turns the socket's chunks into values. After a malformed frame the stream is lost: every later push says so too. */
export class FrameDecoder {
  #chunks: Buffer[] = []
  #length = 0
  #broken = false

  push(chunk: Buffer): { readonly values: readonly unknown[]; readonly broken: boolean } {
    const values: unknown[] = []
    if (!this.#broken) {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      this.#takeFrames(values)
    }
    return { values, broken: this.#broken }
  }

  #takeFrames(values: unknown[]): void {
    let wanted = this.#bodyLength()
    while (wanted !== undefined && this.#length >= 4 + wanted) {
      const all = this.#joined()
      this.#chunks = [all.subarray(4 + wanted)]
      this.#length = all.length - 4 - wanted
      try {
        values.push(JSON.parse(all.toString('utf8', 4, 4 + wanted)))
      } catch {
        this.#broken = true
        return
      }
      wanted = this.#bodyLength()
    }
  }

  #bodyLength(): number | undefined {
    if (this.#length < 4) return undefined
    const first = this.#chunks[0]!
    const length = (first.length >= 4 ? first : this.#joined()).readUInt32BE()
    if (length <= controlFrameBytesMax) return length
    this.#broken = true
    return undefined
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }
}
