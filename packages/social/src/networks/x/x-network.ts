import { failure, SocialFailure } from '../../envelope/failure.js'
import type { Foundation } from '../../foundation.js'
import { clockSkewMs } from '../../limits.js'
import type { LengthRule } from '../../text/length-rule.js'
import { checkLength } from '../check-length.js'
import type {
  Account,
  Capabilities,
  FindOutcome,
  NetworkAdapter,
  NetworkPost,
  Page,
  Part,
  PostRef,
  Prepared,
  PublishKey,
  PublishOutcome,
  Query,
  RateState,
  Sent,
} from '../network-adapter.js'
import { randomKey } from '../random-key.js'
import { createdAnswer } from './answers.js'
import { claimedElsewhere, judgeFound } from './find-post.js'
import { compareTexts } from './link-text.js'
import { createPrice, xPrices } from './prices.js'
import { parsedJson } from './refusal.js'
import { capabilitiesOf, isPaidByUse, type XTier } from './tiers.js'
import type { XClient, XWritten } from './x-client.js'
import { idIn } from './x-ids.js'
import type { XReader } from './x-reader.js'
import type { XSession } from './x-session.js'

export interface XNetworkParts extends Pick<Foundation, 'store' | 'clock'> {
  readonly tier: XTier
  readonly session: XSession
  readonly client: XClient
  readonly reader: XReader
}

/** The body of POST /tweets. */
interface XRequest {
  readonly text: string
  readonly reply?: { readonly in_reply_to_tweet_id: string }
}

/** X has no key for a post: whether one is out is told by its text, its time and what it answers. */
export class XNetwork implements NetworkAdapter {
  readonly name = 'x'
  readonly lengthRule: LengthRule = { kind: 'weighted' }
  readonly #parts: XNetworkParts

  constructor(parts: XNetworkParts) {
    this.#parts = parts
  }

  get capabilities(): Capabilities {
    return capabilitiesOf(this.#parts.tier, this.#parts.reader.knownAccount !== undefined)
  }

  get rates(): readonly RateState[] {
    return this.#parts.client.rates
  }

  /** Cached for hours, not for a minute: each look costs money. */
  account(signal?: AbortSignal): Promise<Account> {
    return this.#parts.reader.account(signal)
  }

  /** X's limits are the same for everybody. */
  refresh(): Promise<void> {
    return Promise.resolve()
  }

  async search(query: Query, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    this.#checkReads()
    return await this.#parts.reader.search(query, cursor, signal)
  }

  async mentions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    this.#checkReads()
    return await this.#parts.reader.mentions(cursor, signal)
  }

  async authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    this.#checkReads()
    return await this.#parts.reader.authorPosts(author, cursor, signal)
  }

  posts(refs: readonly PostRef[], signal?: AbortSignal): Promise<readonly NetworkPost[]> {
    return this.#parts.reader.posts(refs, signal)
  }

  parseRef(urlOrId: string): PostRef | undefined {
    const text = urlOrId.trim()
    const [, inUrl] = postUrl.exec(text) ?? []
    const id = idIn(inUrl ?? text)
    return id === undefined ? undefined : { id }
  }

  newPublishKey(now: number, random: () => number): PublishKey {
    return { key: randomKey(random), createdAt: now }
  }

  costOf({ text }: Pick<Part, 'text'>): number {
    return isPaidByUse(this.#parts.tier) ? createPrice(text) : 0
  }

  /** X puts the name there itself. */
  replyPrefix(): string {
    return ''
  }

  prepare(part: Part, key: PublishKey): Prepared {
    if (part.media.length > 0) {
      throw failure('capability_missing', 'Posts on x take no files yet: leave media out.', {
        details: { network: 'x' },
      })
    }
    checkLength(this.name, part, this.lengthRule)
    const { text, parent } = part
    if (parent === undefined) return { part, key, request: { text } satisfies XRequest }
    const id = idIn(parent.id)
    if (id === undefined) throw failure('not_found', 'What is replied to is no post of X.')
    return { part, key, request: { text, reply: { in_reply_to_tweet_id: id } } satisfies XRequest }
  }

  async publish({ part, request }: Prepared, signal?: AbortSignal): Promise<PublishOutcome> {
    let written: XWritten
    try {
      written = await this.#parts.client.write(
        {
          method: 'POST',
          path: '/tweets',
          body: request as XRequest,
          endpoint: 'create',
          cost: this.costOf(part),
        },
        signal,
      )
    } catch (error) {
      return notSent(error)
    }
    if (written.kind === 'lost') return { kind: 'unknown', message: written.message }
    if (written.kind === 'refused') return delayed('network_unavailable', written.message)
    return this.#outcomeOf(written)
  }

  isSameText(sent: string, { text }: NetworkPost): boolean {
    return compareTexts(sent, { text }) === 'same'
  }

  async find(prepared: Prepared, signal?: AbortSignal): Promise<FindOutcome> {
    const { reader, store } = this.#parts
    const { key } = prepared
    const posts = await reader.ownPosts(key.createdAt - clockSkewMs, signal)
    const ids = posts.tweets.map(({ id }) => id)
    const found = judgeFound(prepared, posts, await claimedElsewhere(store.db, ids, key))
    return typeof found === 'string' ? this.#sent(found) : found
  }

  async remove(ref: PostRef, signal?: AbortSignal): Promise<void> {
    const id = idIn(ref.id)
    if (id === undefined) return
    const cost = isPaidByUse(this.#parts.tier) ? xPrices.delete : 0
    const { client } = this.#parts
    const written = await client.write({ method: 'DELETE', path: `/tweets/${id}`, endpoint: 'delete', cost }, signal)
    if (written.kind !== 'answered') {
      throw failure('network_unavailable', written.message, { details: { network: 'x' } })
    }
    const { status } = written.answer
    if (status !== 200 && status !== 404) throw client.failureOf(written.answer)
  }

  async check(signal?: AbortSignal): Promise<{ readonly status: 'ok' | 'error'; readonly message: string }> {
    try {
      const { handle } = await this.account(signal)
      return { status: 'ok', message: `X lets @${handle} in; tier ${this.#parts.tier}.` }
    } catch (error) {
      return { status: 'error', message: error instanceof SocialFailure ? error.message : 'X can not be asked.' }
    }
  }

  renew(signal?: AbortSignal): Promise<void> {
    return this.#parts.session.renew(signal)
  }

  #outcomeOf({ answer, isRenewed }: XWritten & { kind: 'answered' }): PublishOutcome {
    const { status, isWhole, text } = answer
    if (status >= 200 && status < 300) {
      const created = createdAnswer.safeParse(isWhole ? parsedJson(text) : undefined)
      if (created.success) return this.#sent(created.data.data.id)
      return { kind: 'unknown', message: 'X took the post and did not say which one it is.' }
    }
    // X is known to fail a request that it has carried out.
    if (status >= 500) return { kind: 'unknown', message: `X failed (HTTP ${status}); the post may be out.` }
    const { code, message, resetsAt } = this.#parts.client.refusalOf(answer)
    if (isRenewed) return delayed('network_unavailable', 'The login at X had run out and was renewed.', 0)
    if (status === 401) return delayed(code, message)
    if (status === 429) return delayed(code, message, (resetsAt ?? 0) - this.#parts.clock.now())
    return { kind: 'rejected', code, message }
  }

  #sent(id: string): Sent {
    const { knownAccount } = this.#parts.reader
    return { kind: 'sent', ref: { id }, url: `https://x.com/${knownAccount?.handle ?? 'i'}/status/${id}` }
  }

  #checkReads(): void {
    const { canDiscover, tier } = this.capabilities
    if (canDiscover) return
    throw failure(
      'capability_missing',
      `X lets its tier ${tier} neither search nor read mentions: an operator sets social.x.tier to what the app has.`,
      { details: { network: 'x', tier } },
    )
  }
}

const postUrl = /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/\w+(?:\/web)?\/status(?:es)?\/(\d+)(?:[/?#]|$)/i

/** Nothing has left: no login, no budget, no database, or somebody stopped it. */
function notSent(error: unknown): PublishOutcome {
  if (!(error instanceof SocialFailure)) return delayed('network_unavailable', 'Stopped before anything was sent to X.')
  return delayed(error.code, error.message, error.options.retryAfterMs)
}

function delayed(code: SocialFailure['code'], message: string, retryAfterMs?: number): PublishOutcome {
  return { kind: 'delayed', code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
