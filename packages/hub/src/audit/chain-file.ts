import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditConfig } from './audit-config.js'
import { auditFiles, endOf, fileName, openForReading, serialOf } from './audit-files.js'
import { genesis, type Link, seal } from './chain.js'

type Limits = Pick<AuditConfig, 'directory' | 'fileBytes' | 'keepFiles' | 'keepDays'>

/** What the start had to mend of the newest file. */
export interface Repair {
  readonly file: string
  readonly bytesCut: number
  /** Its last whole line is not as it was written: a new file begins. */
  readonly damaged: boolean
}

/** The chain's end on the disk: appends sealed lines, file after file. One caller at a time. */
export class ChainFile {
  readonly #limits: Limits
  readonly #spoiled: (file: string) => void
  #handle: FileHandle | undefined
  #name = ''
  #size = 0
  #day = ''
  /** Undefined: no file is open. */
  #inode: number | undefined
  #head: Link = { seq: 0, hash: genesis }
  #isDirty = false

  /** `spoiled`: told of a file that somebody removed, replaced or changed while it was written. */
  constructor(limits: Limits, spoiled: (file: string) => void = () => undefined) {
    this.#limits = limits
    this.#spoiled = spoiled
  }

  get head(): Link {
    return this.#head
  }

  get name(): string {
    return this.#name
  }

  /** Goes on where the last hub stopped. @throws when the directory or its newest file can't be used */
  async open(): Promise<Repair | undefined> {
    const files = await auditFiles(this.#limits.directory)
    for (const name of files.toReversed()) {
      const { last, wholeBytes, tornBytes } = await this.#endOf(name)
      if (last === undefined && wholeBytes === 0 && tornBytes === 0) continue
      const isNewest = name === files.at(-1)
      const damaged = last === undefined && wholeBytes > 0
      if (last !== undefined) this.#head = { seq: last.seq, hash: last.hash }
      if (isNewest && !damaged) await this.#take(name, wholeBytes, String(last?.value['at']).slice(0, 10))
      if (last === undefined && !damaged) {
        await this.#headBefore(files.slice(0, files.indexOf(name)))
      }
      if (this.#handle === undefined) this.#name = files.at(-1)!
      return tornBytes > 0 || damaged ? { file: name, bytesCut: damaged ? 0 : tornBytes, damaged } : undefined
    }
    this.#name = files.at(-1) ?? fileName(0)
    return undefined
  }

  /**
   * Appends lines of JSON members, all or none of them; the day is that of the line's time.
   * @throws when they can't be written: then the file and the chain are as before.
   */
  async append(batch: readonly string[], now: number): Promise<void> {
    await this.#rotateIfDue(now)
    let link = this.#head
    let text = ''
    for (const members of batch) {
      const line = seal(members, link)
      text += `${line.text}\n`
      link = line
    }
    const bytes = Buffer.from(text)
    await this.#write(bytes)
    this.#head = { seq: link.seq, hash: link.hash }
  }

  async sync(): Promise<void> {
    if (!this.#isDirty) return
    this.#isDirty = false
    await this.#handle?.datasync()
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    try {
      if (this.#isDirty) await handle?.datasync()
    } finally {
      await handle?.close()
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    const handle = this.#handle!
    this.#isDirty = true
    try {
      for (let done = 0; done < bytes.byteLength; ) {
        done += (await handle.write(bytes, done, bytes.byteLength - done)).bytesWritten
      }
      this.#size += bytes.byteLength
    } catch (error) {
      await handle.truncate(this.#size)
      throw error
    }
  }

  async #rotateIfDue(now: number): Promise<void> {
    const day = dayOf(now)
    const isWhole = this.#handle === undefined || (await this.#isAsWritten())
    if (!isWhole) this.#spoiled(this.#name)
    else if (this.#handle !== undefined && day === this.#day && this.#size < this.#limits.fileBytes) return
    const former = this.#name
    const newest = (await auditFiles(this.#limits.directory)).at(-1) ?? former
    const name = fileName(Math.max(serialOf(former), serialOf(newest)) + 1)
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    const handle = await open(join(this.#limits.directory, name), flags, 0o600)
    await this.close()
    await this.#use(handle, name, 0, day)
    const at = new Date(now).toISOString()
    const follows = serialOf(former) === 0 ? {} : { former, formerHash: this.#head.hash }
    await this.#appendOwn({ at, kind: 'file', file: name, ...follows })
    await this.#prune(at)
  }

  /** What goes into a file that nobody finds any more, or behind what somebody else wrote, is lost to whoever reads the journal. */
  async #isAsWritten(): Promise<boolean> {
    const there = await lstat(join(this.#limits.directory, this.#name)).catch(() => undefined)
    return there !== undefined && there.ino === this.#inode && there.size === this.#size
  }

  /** The chain begins anew where it is cut off: the line says up to where, so that nobody else can cut off more. */
  async #prune(at: string): Promise<void> {
    const { directory, keepFiles, keepDays } = this.#limits
    const files = await auditFiles(directory)
    const excess = files.slice(0, Math.max(0, files.length - keepFiles))
    const oldest = keepDays === undefined ? 0 : Date.parse(at) - keepDays * 86_400_000
    for (const name of files.slice(0, -1)) {
      const { mtimeMs } = await stat(join(directory, name))
      if (!excess.includes(name) && mtimeMs >= oldest) break
      const { last } = await this.#endOf(name)
      await this.#appendOwn({ at, kind: 'pruned', file: name, lastSeq: last?.seq ?? 0, lastHash: last?.hash ?? '' })
      await rm(join(directory, name))
    }
  }

  async #appendOwn(fields: object): Promise<void> {
    const line = seal(JSON.stringify(fields).slice(1, -1), this.#head)
    await this.#write(Buffer.from(`${line.text}\n`))
    this.#head = { seq: line.seq, hash: line.hash }
  }

  async #take(name: string, wholeBytes: number, day: string): Promise<void> {
    const path = join(this.#limits.directory, name)
    const handle = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
    const { size } = await handle.stat()
    if (size > wholeBytes) await handle.truncate(wholeBytes)
    await this.#use(handle, name, wholeBytes, day)
  }

  async #use(handle: FileHandle, name: string, size: number, day: string): Promise<void> {
    this.#handle = handle
    this.#name = name
    this.#size = size
    this.#day = day
    this.#inode = (await handle.stat()).ino
  }

  async #headBefore(files: readonly string[]): Promise<void> {
    for (const name of files.toReversed()) {
      const { last } = await this.#endOf(name)
      if (last === undefined) continue
      this.#head = { seq: last.seq, hash: last.hash }
      return
    }
  }

  async #endOf(name: string) {
    const path = join(this.#limits.directory, name)
    if (!(await lstat(path)).isFile()) throw new Error(`${path} is no file`)
    const handle = await openForReading(this.#limits.directory, name)
    try {
      return await endOf(handle)
    } finally {
      await handle.close()
    }
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
