import {
  noFile,
  parseTokens,
  type TokenRecord,
  tokenFileBytesMax,
  tokenFileIn,
  tooLarge,
  unreadable,
} from './token-file.js'
import { WatchedFile } from './watched-file.js'

interface Loaded {
  readonly byHash: ReadonlyMap<string, TokenRecord>
  readonly names: ReadonlySet<string>
}

const nothing: Loaded = { byHash: new Map(), names: new Set() }

/** The token file as a running hub sees it. */
export class TokenTable {
  readonly #file: WatchedFile<Loaded>
  readonly #now: () => number
  /** By id, those that somebody has shown: who stands on one is to leave when it ends. */
  readonly #inUse = new Map<string, TokenRecord>()

  /** @throws TokenFileError for a file that can't be used. */
  constructor(dataDirectory: string, now: () => number) {
    this.#file = new WatchedFile(tokenFileIn(dataDirectory), {
      bytesMax: tokenFileBytesMax,
      absent: nothing,
      parse: load,
      unreadable,
      noFile,
      tooLarge,
    })
    this.#now = now
    this.#file.read()
  }

  /** @throws TokenFileError */
  find(hash: string): TokenRecord | undefined {
    const record = this.#file.read().byHash.get(hash)
    if (record === undefined || hasEnded(record, this.#now())) return undefined
    this.#inUse.set(record.id, record)
    return record
  }

  /** Whether an agent has tokens, be they over: it is not everybody's because one has ended. @throws TokenFileError */
  hasTokens(name: string): boolean {
    return this.#file.read().names.has(name)
  }

  /**
   * Ids of tokens that somebody has shown and that have ended since, each once. With a file that can't be read nobody new
   * comes in; who is in stays, because nothing says otherwise.
   * @throws TokenFileError
   */
  takeEnded(): readonly string[] {
    if (this.#inUse.size === 0) return []
    const { byHash } = this.#file.read()
    const now = this.#now()
    const ended = [...this.#inUse.values()].filter(
      ({ id, hash }) => byHash.get(hash)?.id !== id || hasEnded(byHash.get(hash)!, now),
    )
    for (const { id } of ended) this.#inUse.delete(id)
    return ended.map(({ id }) => id)
  }
}

export const hasEnded = ({ expiresAt, revokedAt }: TokenRecord, now: number): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now)

function load(text: string, file: string): Loaded {
  const tokens = parseTokens(text, file)
  return {
    byHash: new Map(tokens.map((token) => [token.hash, token])),
    names: new Set(tokens.map(({ name }) => name)),
  }
}
