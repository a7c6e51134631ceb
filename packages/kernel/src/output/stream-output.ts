import { isUtf8 } from 'node:buffer'
import { streamBytesMax } from '../limits.js'
import type { StreamName } from '../runtime/runtime.js'
import { characterStart, decode } from './characters.js'
import { HeadAndTail } from './head-and-tail.js'
import {
  type ReadableText,
  type Stretch,
  searchText,
  sliceText,
  type TextMatches,
  type TextSlice,
} from './readable-text.js'
import type { RunSpool } from './run-spool.js'
import type { SpoolFile } from './spool-file.js'
import { TerminalText } from './terminal-text.js'

export interface CapturedText {
  readonly text: string
  readonly omittedBytes: number
}

/** The end of a stream, with its place in the whole. */
export interface RecentText {
  readonly text: string
  /** Bytes; where `text` begins. */
  readonly offset: number
  /** Where to read on, see `TextSlice`. */
  readonly nextOffset: number
}

/** What a stream had come to when it was last closed. */
export interface ResumedStream {
  readonly kept: HeadAndTail
  readonly file: SpoolFile | undefined
}

/** One stream of one run, as a terminal would show it: bounded in memory, whole on disk once it is longer than that. */
export class StreamOutput implements ReadableText {
  readonly #name: StreamName
  readonly #spool: RunSpool | undefined
  readonly #kept: HeadAndTail
  readonly #terminal = new TerminalText((bytes) => this.#keep(bytes))
  #file: SpoolFile | undefined
  #fileGone = false
  #ended = false

  constructor(name: StreamName, spool: RunSpool | undefined, resumed?: ResumedStream) {
    this.#name = name
    this.#spool = spool
    this.#kept = resumed?.kept ?? new HeadAndTail()
    this.#file = resumed?.file
    this.#ended = resumed !== undefined
  }

  push(bytes: Uint8Array): void {
    this.#ended = false
    this.#terminal.push(bytes)
    // Not later: what has been read from the process outlives this worker.
    this.#file?.flush()
  }

  /** Of the cleaned text, with an unfinished line. */
  get totalBytes(): number {
    return this.#kept.totalBytes + this.#terminal.pendingBytes
  }

  get finalBytes(): number {
    return this.#kept.totalBytes
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Bytes of memory, about. */
  get memoryBytes(): number {
    return this.#kept.memoryBytes
  }

  get loss(): string | null {
    if (this.#fileGone) return `Of ${this.#name} only the end is kept: its file is gone.`
    if (this.#kept.isWhole) return null
    const kept = this.#file?.size ?? 0
    const reason = this.#spool ? this.#file?.loss : 'nothing more is kept of it'
    if (reason === undefined || kept >= this.#kept.totalBytes) return null
    return `Of ${this.#name}, ${this.#kept.totalBytes - kept} bytes after the first ${kept} are not kept: ${reason}.`
  }

  /** What a reply shows. */
  read(): CapturedText {
    return this.#kept.read(this.#terminal.pending)
  }

  /** The end, at most `bytesMax` bytes of it. */
  recent(bytesMax: number): RecentText {
    const { bytes } = this.#inMemory()
    const from = bytes.subarray(Math.max(0, bytes.length - bytesMax))
    const shown = from.length < bytes.length ? from.subarray(characterStart(from)) : from
    return { text: decode(shown), offset: this.totalBytes - shown.length, nextOffset: this.finalBytes }
  }

  /** By byte offset of the cleaned text, see `sliceText`. */
  slice(offset: number, limit: number): Promise<TextSlice> {
    return sliceText(this, offset, limit)
  }

  search(pattern: string, offset: number, limit: number): Promise<TextMatches> {
    return searchText(this, pattern, offset, limit)
  }

  async readAt(offset: number, length: number): Promise<Stretch> {
    if (this.#file && offset < this.#file.size) {
      const bytes = await this.#file.read(offset, length)
      if (bytes.length > 0) return { offset, bytes }
      this.#fileGone = length > 0
    }
    const end = this.#inMemory()
    const start = Math.min(Math.max(offset, end.offset), this.totalBytes)
    return { offset: start, bytes: end.bytes.subarray(start - end.offset, start - end.offset + length) }
  }

  /** The run has ended: the unfinished line is final, no file stays open. What comes late is added all the same. */
  close(): void {
    this.#terminal.end()
    // A column of text cannot hold these, and then offsets would differ after a restart.
    if (!this.#file && this.#kept.isWhole && !isPlain(this.#kept.end().bytes)) this.#spill()
    this.#file?.close()
    this.#ended = true
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#file && this.#kept.totalBytes + bytes.length > streamBytesMax) this.#spill()
    this.#file?.append(bytes)
    this.#kept.push(bytes)
  }

  /** From its first byte on. */
  #spill(): void {
    this.#file = this.#spool?.file(this.#name)
    this.#file?.append(this.#kept.end().bytes)
  }

  #inMemory(): Stretch {
    const { offset, bytes } = this.#kept.end()
    return { offset, bytes: Buffer.concat([bytes, this.#terminal.pending]) }
  }
}

/** Valid UTF-8 without U+0000: comes back from a database as it was. */
function isPlain(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0)
}
