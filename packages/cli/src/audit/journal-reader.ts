import { auditFiles, openForReading } from '@callboard/hub'

const chunkBytes = 256 * 1024
/** Of a line that is not finished; longer ones no hub writes. */
const restBytesMax = 2 * 1024 * 1024

/** Reads the whole lines of a journal on, over all its files, as far as there are any. */
export class JournalReader {
  readonly #directory: string
  #file = ''
  #offset = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  /** @throws when a file can't be read */
  async readOn(tell: (line: string) => void): Promise<void> {
    const files = await auditFiles(this.#directory)
    for (const file of files) {
      if (file < this.#file) continue
      if (file !== this.#file) {
        this.#file = file
        this.#offset = 0
      }
      await this.#readFile(tell)
    }
  }

  async #readFile(tell: (line: string) => void): Promise<void> {
    const handle = await openForReading(this.#directory, this.#file)
    try {
      let rest = Buffer.alloc(0)
      for (let at = this.#offset; ; ) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at)
        if (bytesRead === 0) return
        at += bytesRead
        const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
        const end = text.lastIndexOf(10)
        if (end >= 0) for (const line of text.subarray(0, end).toString('utf8').split('\n')) tell(line)
        rest = text.subarray(end + 1)
        if (rest.byteLength > restBytesMax) rest = Buffer.alloc(0)
        this.#offset = at - rest.byteLength
      }
    } finally {
      await handle.close()
    }
  }
}
