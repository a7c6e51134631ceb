import { createHash } from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: records are whatever clients send; the checks below are those of the lexicon that matter.
type Json = any

export interface FakeAccount {
  readonly did: string
  readonly handle: string
  readonly appPassword: string
  followers: number
  following: number
  /** What the server says of an account that may not write: `AccountTakedown`, `AccountDeactivated`. */
  restriction?: string
  blocksUs?: boolean
}

export interface FakePost {
  readonly uri: string
  readonly cid: string
  readonly did: string
  readonly rkey: string
  readonly record: Json
  /** UTC ms. */
  readonly indexedAt: number
  likes: number
  reposts: number
  replies: number
  /** Of the thread that it begins: who may reply. */
  gate?: readonly string[]
  /** What the network says of us, whatever the gate is. */
  replyDisabled?: boolean
}

export interface NewPost {
  /** Handle of its author, who is made up if nobody has it. */
  readonly by?: string
  readonly text?: string
  /** UTC ms; default now. */
  readonly at?: number
  readonly likes?: number
  readonly reposts?: number
  readonly replies?: number
  readonly followers?: number
  readonly replyTo?: FakePost
  readonly quote?: FakePost
  /** Handles, which must be in the text. */
  readonly mention?: readonly string[]
  readonly images?: number
  readonly langs?: readonly string[]
  /** Lexicon names: `mentionRule`, `followerRule`. */
  readonly gate?: readonly string[]
  readonly replyDisabled?: boolean
  /** Laid over the record: what a strange client may have written. */
  readonly record?: object
}

/** Refused with status, name and words, as a server would. */
export class Refusal extends Error {
  readonly status: number
  readonly error: string

  constructor(status: number, error: string, message: string) {
    super(message)
    this.status = status
    this.error = error
  }
}

const alphabet = '234567abcdefghijklmnopqrstuvwxyz'
const postCollection = 'app.bsky.feed.post'

/** Accounts, posts and blobs of a small network in memory, with the rules of the reference server. */
export class BlueskyNetwork {
  readonly accounts: FakeAccount[] = []
  /** In the order in which they came; those deleted are gone. */
  readonly all = new Map<string, FakePost>()
  readonly blobs = new Map<string, { readonly mime: string; readonly bytes: Buffer }>()
  readonly reposts: { readonly did: string; readonly uri: string }[] = []
  readonly likes: { readonly did: string; readonly uri: string; readonly at: number }[] = []
  readonly #now: () => number
  #count = 0

  constructor(now: () => number) {
    this.#now = now
  }

  account(handle: string, appPassword = 'none'): FakeAccount {
    const known = this.find(handle)
    if (known !== undefined) return known
    const did = `did:plc:${base32(handle).slice(0, 24)}`
    const account = { did, handle, appPassword, followers: 0, following: 0 }
    this.accounts.push(account)
    return account
  }

  /** By handle or DID. */
  find(actor: string): FakeAccount | undefined {
    return this.accounts.find(({ did, handle }) => did === actor || handle === actor.toLowerCase())
  }

  addPost(post: NewPost, us: FakeAccount): FakePost {
    const author = this.account(post.by ?? 'stranger.test')
    if (post.followers !== undefined) author.followers = post.followers
    const at = post.at ?? this.#now()
    const record = recordOf(post, at, (handle) => this.account(handle).did)
    const stored = this.#store(author.did, this.#nextTid(at), record, at)
    stored.likes = post.likes ?? 0
    stored.reposts = post.reposts ?? 0
    stored.replies = post.replies ?? 0
    if (post.gate !== undefined) stored.gate = post.gate
    if (post.replyDisabled !== undefined) stored.replyDisabled = post.replyDisabled
    if (post.replyTo !== undefined && post.replyTo.did === us.did) post.replyTo.replies += 1
    return stored
  }

  /** `com.atproto.repo.putRecord`, with what the reference server was seen to answer. */
  put(did: string, { collection, rkey, swapRecord, record }: Json): object {
    if (collection !== postCollection) throw new Refusal(400, 'InvalidRequest', `no ${collection} here`)
    if (!/^[234567a-j][2-7a-z]{12}$/.test(String(rkey)))
      throw new Refusal(
        400,
        'InvalidRequest',
        `Invalid record key for ${postCollection}: Invalid TID string (got "${rkey}") at $`,
      )
    this.#requireRecord(record)
    const uri = `at://${did}/${collection}/${rkey}`
    const known = this.all.get(uri)
    const cid = cidOf(record)
    if (known?.cid === cid) return { uri, cid, validationStatus: 'valid' }
    if (known !== undefined && swapRecord === null) throw new Refusal(400, 'InvalidSwap', `Record was at ${known.cid}`)
    this.#store(did, rkey, record, this.#now())
    return { uri, cid, commit: { cid: cidOf({ uri }), rev: this.#nextTid(this.#now()) }, validationStatus: 'valid' }
  }

  upload(mime: string, bytes: Buffer): object {
    if (bytes.byteLength > 5 * 1024 * 1024) throw new Refusal(413, 'PayloadTooLarge', 'request entity too large')
    const link = `bafkrei${base32(bytes)}`
    this.blobs.set(link, { mime, bytes })
    return { blob: { $type: 'blob', ref: { $link: link }, mimeType: mime, size: bytes.byteLength } }
  }

  #requireRecord(record: Json): void {
    const text = String(record?.text)
    const graphemes = [...new Intl.Segmenter().segment(text)].length
    const invalid = (what: string) =>
      new Refusal(400, 'InvalidRequest', `Invalid ${postCollection} record: ${what} at $.record.text`)
    if (record?.$type !== postCollection || typeof record.createdAt !== 'string') throw invalid('Missing required key')
    if (Buffer.byteLength(text) > 3_000) throw invalid(`string too big (maximum 3000, got ${Buffer.byteLength(text)})`)
    if (graphemes > 300) throw invalid(`grapheme too big (maximum 300, got ${graphemes})`)
    for (const { image } of record.embed?.images ?? []) {
      const link = image?.ref?.$link
      if (!this.blobs.has(link)) throw new Refusal(400, 'BlobNotFound', `Could not find blob: ${link}`)
    }
  }

  #store(did: string, rkey: string, record: Json, indexedAt: number): FakePost {
    const uri = `at://${did}/${postCollection}/${rkey}`
    const post: FakePost = { uri, cid: cidOf(record), did, rkey, record, indexedAt, likes: 0, reposts: 0, replies: 0 }
    this.all.set(uri, post)
    return post
  }

  #nextTid(at: number): string {
    this.#count += 1
    let text = ''
    for (let rest = (BigInt(at) * 1_000n + BigInt(this.#count)) << 10n; text.length < 13; rest >>= 5n)
      text = alphabet[Number(rest & 31n)] + text
    return text
  }
}

/** The record beside a post that says who may reply. */
export function gateOf({ uri, gate = [] }: FakePost): object {
  const allow = gate.map((rule) => ({ $type: `app.bsky.feed.threadgate#${rule}` }))
  return { $type: 'app.bsky.feed.threadgate', post: uri, allow, createdAt: '2026-03-02T12:00:00.000Z' }
}

function recordOf(post: NewPost, at: number, didOf: (handle: string) => string): Json {
  const { text = 'a post', mention = [], replyTo, quote, images = 0, langs, record = {} } = post
  const facets = mention.map((handle) => {
    const byteStart = Buffer.byteLength(text.slice(0, text.indexOf(`@${handle}`)))
    const features = [{ $type: 'app.bsky.richtext.facet#mention', did: didOf(handle) }]
    return { index: { byteStart, byteEnd: byteStart + Buffer.byteLength(`@${handle}`) }, features }
  })
  const ref = ({ uri, cid }: FakePost) => ({ uri, cid })
  const image = { $type: 'blob', ref: { $link: `bafkrei${base32(text)}` }, mimeType: 'image/png', size: 1 }
  return {
    $type: postCollection,
    text,
    createdAt: new Date(at).toISOString(),
    ...(langs !== undefined && { langs }),
    ...(facets.length > 0 && { facets }),
    ...(replyTo !== undefined && { reply: { root: replyTo.record.reply?.root ?? ref(replyTo), parent: ref(replyTo) } }),
    ...(quote !== undefined && { embed: { $type: 'app.bsky.embed.record', record: ref(quote) } }),
    ...(images > 0 && {
      embed: { $type: 'app.bsky.embed.images', images: Array.from({ length: images }, () => ({ alt: '', image })) },
    }),
    ...record,
  }
}

/** Equal records have equal ids, whatever the order of their keys. */
function cidOf(record: Json): string {
  const sorted = (_: string, value: Json) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value
  return `bafyrei${base32(JSON.stringify(record, sorted))}`
}

function base32(of: string | Buffer): string {
  const digest = createHash('sha256').update(of).digest()
  return Array.from({ length: 52 }, (_, index) => alphabet[(digest[index % 32]! % 32) ^ (index > 31 ? 5 : 0)]).join('')
}
