import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'

/** What is in a file, and how its owner is told that it is of no use. */
export interface FileRules<Content> {
  readonly bytesMax: number
  /** What holds when there is no file. */
  readonly absent: Content
  /** Throws for a text that says nothing. */
  readonly parse: (text: string, file: string) => Content
  /** Throws for a file that must not be trusted, whatever it says. */
  readonly checkMode?: (mode: number, file: string) => void
  readonly unreadable: (file: string, error: unknown) => Error
  readonly noFile: (file: string) => Error
  readonly tooLarge: (file: string) => Error
}

const absentVersion = 'none'

/**
 * A file as a running hub sees it. Each question looks whether there is another file now, which costs microseconds; so a
 * command that changes it needs no hub, and the hub none to tell it.
 */
export class WatchedFile<Content> {
  readonly #file: string
  readonly #rules: FileRules<Content>
  /** Of the file that was read: another one has another inode or another time. */
  #version = absentVersion
  #content: Content
  #failure: { readonly version: string; readonly error: unknown } | undefined

  constructor(file: string, rules: FileRules<Content>) {
    this.#file = file
    this.#rules = rules
    this.#content = rules.absent
  }

  /** The same object as before, as long as the file is the same. @throws what the rules make of a file that is of no use. */
  read(): Content {
    const version = this.#currentVersion()
    if (version === this.#version) return this.#content
    // Strangers can make a hub ask: a broken file must cost them as much as a good one.
    if (version === this.#failure?.version) throw this.#failure.error
    if (version === absentVersion) {
      this.#version = absentVersion
      this.#content = this.#rules.absent
    } else this.#load()
    return this.#content
  }

  #currentVersion(): string {
    let status: BigIntStats
    try {
      status = statSync(this.#file, { bigint: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return absentVersion
      throw this.#rules.unreadable(this.#file, error)
    }
    // To open a pipe is to wait for its writer, and the hub with it.
    if (!status.isFile()) throw this.#rules.noFile(this.#file)
    return versionOf(status)
  }

  #load(): void {
    const { version, text, mode } = this.#readText()
    try {
      this.#rules.checkMode?.(mode, this.#file)
      if (text === undefined) throw this.#rules.tooLarge(this.#file)
      this.#content = this.#rules.parse(text, this.#file)
      this.#version = version
      this.#failure = undefined
    } catch (error) {
      this.#failure = { version, error }
      throw error
    }
  }

  /** `text`: undefined when it is too large. */
  #readText(): { readonly version: string; readonly text: string | undefined; readonly mode: number } {
    let descriptor: number | undefined
    try {
      descriptor = openSync(this.#file, 'r')
      const status = fstatSync(descriptor, { bigint: true })
      const isTooLarge = status.size > this.#rules.bytesMax
      const text = isTooLarge ? undefined : readFileSync(descriptor, 'utf8')
      return { version: versionOf(status), text, mode: Number(status.mode) }
    } catch (error) {
      throw this.#rules.unreadable(this.#file, error)
    } finally {
      if (descriptor !== undefined) closeSync(descriptor)
    }
  }
}

function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}
