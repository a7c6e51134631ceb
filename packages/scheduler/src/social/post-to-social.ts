import { type Context, ToolError } from '@callboard/worker'
import type { Foundation } from '../foundation.js'
import type { RefusalCode } from '../refusal.js'
import type { Actor } from '../tools/actor.js'
import { KnownPosts } from './known-posts.js'
import { hashOf, requireTarget, type SocialPost } from './social-post.js'
import { type Item, SocialWorker } from './social-worker.js'

/** After these the social worker may have made the item all the same. */
const uncertain: ReadonlySet<string> = new Set<RefusalCode>(['TIMEOUT', 'UPSTREAM_ERROR'])

/** Has posts proposed to the social worker, each once, and tells what became of them. Publishes and approves nothing. */
export class SocialPosts {
  readonly #foundation: Foundation
  readonly #known: KnownPosts

  constructor(foundation: Foundation) {
    this.#foundation = foundation
    this.#known = new KnownPosts(foundation)
  }

  /** The post's item, proposed now or before. Rejects with a refusal. */
  async submit(post: SocialPost, actor: Actor, context: Pick<Context, 'call' | 'signal'>): Promise<Item> {
    requireTarget(post)
    const worker = new SocialWorker(this.#foundation.config.social_post_tool, context)
    const hash = hashOf(actor.group.folder, post)
    const known = await this.#known.findOrClaim(hash, actor)
    const item = known === undefined ? await this.#propose(worker, hash, post) : await current(worker, known)
    await this.#known.record(hash, post, item, actor)
    return item
  }

  /** Dying behind this leaves the claim, and the next proposal under the same key finds the item. */
  async #propose(worker: SocialWorker, hash: string, post: SocialPost): Promise<Item> {
    try {
      const network = await worker.networkOf(post.platform)
      const { id, status, replayed } = await worker.propose(network, post, hash)
      const fresh = { id, status, account: null }
      // A repeated answer is the first one, and may be old; and what is past approval has an account.
      return replayed || status !== 'pending' ? await current(worker, fresh) : fresh
    } catch (error) {
      if (error instanceof ToolError && !uncertain.has(error.code)) await this.#known.release(hash)
      throw error
    }
  }
}

/** As it is now; as it was last seen when that can not be learned. */
async function current(worker: SocialWorker, last: Item): Promise<Item> {
  try {
    return await worker.item(last.id)
  } catch (error) {
    if (error instanceof ToolError) return last
    throw error
  }
}
