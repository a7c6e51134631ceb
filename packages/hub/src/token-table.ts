import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import {
  noFile,
  parseTokens,
  type TokenRecord,
  tokenFileBytesMax,
  tokenFileIn,
  tooLarge,
  unreadable,
} from './token-file.js'

interface Loaded {
  /** Of the file that was read: another one has another inode or another time. */
  readonly version: string
  readonly byHash: ReadonlyMap<string, TokenRecord>
  readonly names: ReadonlySet<string>
}

const nothing: Loaded = { version: 'none', byHash: new Map(), names: new Set() }

/**
 * The token file as a running hub sees it. Each question looks whether there is another file now, which costs
 * microseconds; so a command that changes it needs no hub, and the hub none to tell it.
 */
export class TokenTable {
  readonly #file: string
  readonly #now: () => number
  #loaded: Loaded = nothing
  /** By id, those that somebody has shown: who stands on one is to leave when it ends. */
  readonly #inUse = new Map<string, TokenRecord>()

  /** @throws TokenFileError for a file that can't be used. */
  constructor(dataDirectory: string, now: () => number) {
    this.#file = tokenFileIn(dataDirectory)
    this.#now = now
    this.#refresh()
  }

  /** @throws TokenFileError */
  find(hash: string): TokenRecord | undefined {
    this.#refresh()
    const record = this.#loaded.byHash.get(hash)
    if (record === undefined || hasEnded(record, this.#now())) return undefined
    this.#inUse.set(record.id, record)
    return record
  }

  /** Whether an agent has tokens, be they over: it is not everybody's because one has ended. @throws TokenFileError */
  hasTokens(name: string): boolean {
    this.#refresh()
    return this.#loaded.names.has(name)
  }

  /**
   * Ids of tokens that somebody has shown and that have ended since, each once. With a file that can't be read nobody new
   * comes in; who is in stays, because nothing says otherwise.
   * @throws TokenFileError
   */
  takeEnded(): readonly string[] {
    if (this.#inUse.size === 0) return []
    this.#refresh()
    const now = this.#now()
    const ended = [...this.#inUse.values()].filter(
      ({ id, hash }) => this.#loaded.byHash.get(hash)?.id !== id || hasEnded(this.#loaded.byHash.get(hash)!, now),
    )
    for (const { id } of ended) this.#inUse.delete(id)
    return ended.map(({ id }) => id)
  }

  #refresh(): void {
    const version = this.#version()
    if (version === this.#loaded.version) return
    this.#loaded = version === nothing.version ? nothing : this.#load()
  }

  #version(): string {
    let status: BigIntStats
    try {
      status = statSync(this.#file, { bigint: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing.version
      throw unreadable(this.#file, error)
    }
    // To open a pipe is to wait for its writer, and the hub with it.
    if (!status.isFile()) throw noFile(this.#file)
    return versionOf(status)
  }

  #load(): Loaded {
    let descriptor: number
    try {
      descriptor = openSync(this.#file, 'r')
    } catch (error) {
      throw unreadable(this.#file, error)
    }
    try {
      const status = fstatSync(descriptor, { bigint: true })
      if (status.size > tokenFileBytesMax) throw tooLarge(this.#file)
      const tokens = parseTokens(readFileSync(descriptor, 'utf8'), this.#file)
      return {
        version: versionOf(status),
        byHash: new Map(tokens.map((token) => [token.hash, token])),
        names: new Set(tokens.map(({ name }) => name)),
      }
    } finally {
      closeSync(descriptor)
    }
  }
}

export const hasEnded = ({ expiresAt, revokedAt }: TokenRecord, now: number): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now)

function versionOf({
  ino,
  size,
  mtimeNs,
  ctimeNs,
}: {
  ino: bigint
  size: bigint
  mtimeNs: bigint
  ctimeNs: bigint
}): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}
