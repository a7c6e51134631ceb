import { hashOfJson } from '@callboard/worker/canonical-json'
import { recordAction } from '../activity/record-action.js'
import type { Written } from '../content/content-writer.js'
import type { DiscoveredPost, ScoredPost } from '../discovery/discovered-posts.js'
import { SocialFailure } from '../envelope/failure.js'
import type { Candidate, ReplyTarget } from '../policy/safety-checks.js'
import { type AutopilotParts, autopilotOwner, canWrite } from './autopilot.js'
import { hasQuota, hasTargetQuota } from './quota.js'
import { recordRefusal, refusedPosts } from './refused-posts.js'
import { candidates } from './reply-candidates.js'

export type ReplySource = 'search' | 'mention' | 'target'

const logTypes = { search: 'discovery_reply', mention: 'mention_reply', target: 'target_reply' } as const

/**
 * What follows on a reading in mode autopilot: of the posts of that source the best one that may be answered is answered, by
 * a proposal. The writer is asked last, once score, rules and quota have passed, and at most once in a pass.
 */
export class ReplyPass {
  readonly #parts: AutopilotParts

  constructor(parts: AutopilotParts) {
    this.#parts = parts
  }

  async run(source: ReplySource, signal: AbortSignal): Promise<void> {
    const { foundation, network } = this.#parts
    // X forbids replies that a keyword triggers, and wants to approve replies that a model wrote.
    if (network.name === 'x' || !network.capabilities.canReply || !canWrite(this.#parts)) return
    if (!(await hasQuota(foundation, network.name, 'reply'))) return
    if (source === 'target' && !(await hasTargetQuota(foundation, network.name))) return
    const { handle } = await network.account(signal)
    const refused = await refusedPosts(foundation, logTypes[source])
    for await (const found of candidates(this.#parts, source)) {
      signal.throwIfAborted()
      if (refused.has(refusalKey(found.post)) || (await this.#isProposed(found.post))) continue
      if ((await this.#problem(candidateOf(found.post, handle, [], foundation.clock.now()))) !== undefined) continue
      return this.#answer(found, source, handle, signal)
    }
  }

  /**
   * The post by anybody, and whatever became of it: a person who turned it down is not asked again. Its author, while a
   * reply of ours waits for a decision.
   */
  async #isProposed({ network, remote_id: id, author_id: authorId }: DiscoveredPost): Promise<boolean> {
    const items = this.#parts.foundation.store.db
      .selectFrom('approval_queue')
      .select('id')
      .where('network', '=', network)
    const ofPost = await items.where('target_post_id', '=', id).executeTakeFirst()
    if (ofPost !== undefined) return true

    const ofAuthor = await items
      .where('owner', '=', autopilotOwner)
      .where('status', '=', 'pending')
      .where('target_author_id', '=', authorId)
      .executeTakeFirst()
    return ofAuthor !== undefined
  }

  #problem(candidate: Candidate): Promise<SocialFailure | undefined> {
    const { store, config } = this.#parts.foundation
    return this.#parts.safetyProblem(store.db, candidate, config)
  }

  async #answer(found: ScoredPost, source: ReplySource, handle: string, signal: AbortSignal): Promise<void> {
    const { foundation, proposals } = this.#parts
    try {
      const written = await this.#write(found.post, source, handle, signal)
      signal.throwIfAborted()
      await this.#propose(found, source, handle, written)
    } catch (error) {
      // What may be better next time is an error of the loop; what will not, is never tried again.
      if (!(error instanceof SocialFailure) || error.retryable || error.code === 'llm_not_configured') throw error
      await recordRefusal(foundation, logTypes[source], refusalKey(found.post), error)
      return
    }
    proposals.wake()
  }

  async #write(post: DiscoveredPost, source: ReplySource, handle: string, signal: AbortSignal): Promise<Written> {
    const { network, writer } = this.#parts
    const { content: text, author_username: author } = post
    const mentionProduct = source !== 'target' && (await this.#mayMentionProduct(post, handle))
    return writer.reply({ network, text, author, mentionProduct, principal: autopilotOwner }, signal)
  }

  /** By chance, in the configured share; and only where the rule about that share would let it pass. */
  async #mayMentionProduct(post: DiscoveredPost, handle: string): Promise<boolean> {
    const { random, config, clock } = this.#parts.foundation
    if (random() >= config.limits.product_mention_ratio) return false
    const naming = candidateOf(post, handle, [config.business.product_name], clock.now())
    return (await this.#problem(naming)) === undefined
  }

  async #propose({ post, score }: ScoredPost, source: ReplySource, handle: string, written: Written): Promise<void> {
    const { foundation, network, proposals } = this.#parts
    const { store, clock } = foundation
    const key = `reply:${post.network}:${post.remote_id}`
    await store.transaction(async (tx) => {
      const { item } = await proposals.propose(tx, {
        network,
        account: handle,
        action: 'reply',
        parts: written.parts,
        target: targetOf(post),
        ...(written.topic !== undefined && { topic: written.topic }),
        archetype: written.shape,
        score: score.total,
        generatedBy: written.generatedBy,
        origin: 'autopilot',
        owner: autopilotOwner,
        key: shortKey(key),
        // Not of the text, which is another one each time: one key, one item.
        isKeyGiven: true,
        argumentsHash: hashOfJson(key),
      })
      await recordAction(tx, {
        at: clock.now(),
        type: logTypes[source],
        status: 'success',
        message: `Proposed a reply to @${post.author_username} on ${post.network}.`,
        metadata: { network: post.network, post_id: post.remote_id, item_id: item.id, score: score.total },
        principal: autopilotOwner,
      })
    })
  }
}

function candidateOf(post: DiscoveredPost, account: string, parts: readonly string[], at: number): Candidate {
  return { network: post.network, account, action: 'reply', parts, target: targetOf(post), at }
}

function targetOf(post: DiscoveredPost): ReplyTarget {
  return {
    id: post.remote_id,
    ...(post.cid !== null && { cid: post.cid }),
    ...(post.root !== null && { root: JSON.parse(post.root) as NonNullable<ReplyTarget['root']> }),
    url: post.url,
    authorId: post.author_id,
    author: post.author_username,
    text: post.content,
    addressesUs: post.addresses_us === 1,
    ...(post.reply_refusal !== null && { refusal: post.reply_refusal }),
  }
}

const refusalKey = ({ network, remote_id: id }: DiscoveredPost) => shortKey(`${network}:${id}`)

/** Ids are the network's, and may be of any length; the key is kept, and compared, whole. */
function shortKey(key: string): string {
  return key.length <= 128 ? key : hashOfJson(key)
}
