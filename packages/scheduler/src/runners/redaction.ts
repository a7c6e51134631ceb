const mark = '[redacted]'

/** Without the secret, wherever it stands. */
export function redacted(text: string, secret: string): string {
  return secret === '' ? text : text.replaceAll(secret, mark)
}

/** Keeps a secret out of a stream, also where it is split between chunks. */
export class StreamRedactor {
  readonly #secret: Buffer
  /** The end of what came so far, while it may be the beginning of the secret. */
  #held: Buffer = Buffer.alloc(0)

  constructor(secret: string) {
    this.#secret = Buffer.from(secret)
  }

  push(chunk: Buffer): Buffer {
    if (this.#secret.length === 0) return chunk
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const clean = this.#replace(bytes)
    const held = this.#begun(clean)
    this.#held = clean.subarray(clean.length - held)
    return clean.subarray(0, clean.length - held)
  }

  /** What was held back. */
  end(): Buffer {
    const held = this.#held
    this.#held = Buffer.alloc(0)
    return held
  }

  #replace(bytes: Buffer): Buffer {
    const pieces: Buffer[] = []
    let from = 0
    for (let at = bytes.indexOf(this.#secret); at >= 0; at = bytes.indexOf(this.#secret, from)) {
      pieces.push(bytes.subarray(from, at), Buffer.from(mark))
      from = at + this.#secret.length
    }
    return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)])
  }

  #begun(bytes: Buffer): number {
    for (let length = Math.min(this.#secret.length - 1, bytes.length); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(this.#secret.subarray(0, length))) return length
    }
    return 0
  }
}
