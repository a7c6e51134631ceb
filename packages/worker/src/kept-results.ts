import { type Caller, keptUri, parseKeptUri } from '@callboard/protocol'
import type { Annotations, ResourceContents, ResourceLink } from './api.js'
import * as limits from './limits.js'

/** What is kept besides the data; all of it is said again by each part's link. */
export interface KeptAs {
  readonly name: string
  readonly mimeType: string
  readonly annotations?: Annotations
  readonly _meta?: { readonly [key: string]: unknown }
}

interface Kept extends KeptAs {
  readonly owner: string
  readonly parts: readonly (string | Uint8Array)[]
  readonly bytes: number
  readonly until: number
}

export interface KeptResultsOptions {
  readonly service: string
  /** This instance in public. [CB-100] */
  readonly keeper: string
  /** UTC ms. */
  readonly now: () => number
  /** Unguessable: who is asked for an unknown id learns nothing. */
  readonly newId: () => string
}

/** Whose a kept result is: the principal at the root, over sessions, because agents reconnect. [CB-103] */
export function ownerOf(caller: Caller): string {
  return caller.onBehalfOf ?? caller.principal
}

/** Results that did not fit into a message, for a while and in bounds, each for the one who asked. */
export class KeptResults {
  readonly #options: KeptResultsOptions
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>()

  constructor(options: KeptResultsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#kept.size
  }

  /** A link for each part, in order; undefined when there is no room. An owner's oldest results make room for its newest. */
  keep(owner: string, data: string | Uint8Array, what: KeptAs): readonly ResourceLink[] | undefined {
    this.sweep()
    const bytes = typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength
    if (bytes > limits.keptBytesEachMax) return undefined
    const outdated = this.#outdatedBy(owner, bytes)
    const left = [...this.#kept].filter(([id]) => !outdated.has(id))
    const leftBytes = left.reduce((sum, [, kept]) => sum + kept.bytes, 0)
    if (leftBytes + bytes > limits.keptBytesMax || left.length >= limits.keptCountMax) return undefined
    for (const id of outdated) this.#kept.delete(id)
    const id = this.#options.newId()
    const parts = typeof data === 'string' ? cutText(data) : cutBytes(data)
    this.#kept.set(id, { ...what, owner, parts, bytes, until: this.#options.now() + limits.keptMs })
    return parts.map((part, index) => this.#link(id, part, index, parts.length, what))
  }

  /** Undefined for what is unknown, over, or somebody else's: nobody may learn which. */
  read(owner: string, uri: string): ResourceContents | undefined {
    this.sweep()
    const [id = '', part = ''] = parseKeptUri(uri)?.rest.split('/') ?? []
    const kept = this.#kept.get(id)
    const data = kept?.parts[/^\d{1,6}$/.test(part) ? Number(part) : -1]
    if (kept?.owner !== owner || data === undefined || uri !== this.#uri(id, Number(part))) return undefined
    const { mimeType } = kept
    return typeof data === 'string' ? { uri, mimeType, text: data } : { uri, mimeType, blob: base64(data) }
  }

  /** Lets go of what has been kept long enough. */
  sweep(): void {
    const now = this.#options.now()
    for (const [id, { until }] of this.#kept) {
      if (until > now) return
      this.#kept.delete(id)
    }
  }

  clear(): void {
    this.#kept.clear()
  }

  /** The owner's oldest, as many as must go for one more of so many bytes. */
  #outdatedBy(owner: string, bytes: number): ReadonlySet<string> {
    const own = [...this.#kept].filter(([, kept]) => kept.owner === owner)
    const outdated = new Set<string>()
    let sum = own.reduce((total, [, kept]) => total + kept.bytes, bytes)
    for (const [id, kept] of own) {
      const count = own.length - outdated.size
      if (sum <= limits.keptBytesPerOwnerMax && count < limits.keptCountPerOwnerMax) break
      outdated.add(id)
      sum -= kept.bytes
    }
    return outdated
  }

  #link(id: string, part: string | Uint8Array, index: number, count: number, what: KeptAs): ResourceLink {
    const { name, ...rest } = what
    const size = typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength
    const whole = count === 1 ? name : `${name}, part ${index + 1} of ${count}`
    return { type: 'resource_link', uri: this.#uri(id, index), name: whole, size, ...rest }
  }

  #uri(id: string, part: number): string {
    const { service, keeper } = this.#options
    return keptUri({ service, keeper, rest: `${id}/${part}` })
  }
}

/** Never between the two halves of a character: a part must be text by itself. [CB-104] */
function cutText(text: string): string[] {
  const parts: string[] = []
  let from = 0
  do {
    let to = Math.min(from + limits.keptTextPartMax, text.length)
    if (to < text.length && isPair(text, to)) to -= 1
    parts.push(text.slice(from, to))
    from = to
  } while (from < text.length)
  return parts
}

function isPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
}

function cutBytes(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  let from = 0
  do {
    parts.push(bytes.subarray(from, from + limits.keptBlobPartBytesMax))
    from += limits.keptBlobPartBytesMax
  } while (from < bytes.byteLength)
  return parts
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
