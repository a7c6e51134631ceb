const newline = 0x0a

/** Cuts chunks into lines of ASCII, in linear time. */
export class Lines {
  readonly #pieces: Buffer[] = []

  push(chunk: Buffer): string[] {
    const end = chunk.lastIndexOf(newline)
    if (end === -1) {
      this.#pieces.push(chunk)
      return []
    }
    const whole = chunk.subarray(0, end)
    const text = (this.#pieces.length === 0 ? whole : Buffer.concat([...this.#pieces, whole])).toString('latin1')
    this.#pieces.length = 0
    if (end + 1 < chunk.length) this.#pieces.push(chunk.subarray(end + 1))
    return text.split('\n')
  }
}
