import type { NetworkName, SocialConfig } from '../config.js'
import type { SocialFailure } from '../envelope/failure.js'
import type { ActionType, Database } from '../records/schema.js'
import { contentProblem } from './content-rules.js'
import { replyProblem } from './reply-rules.js'

/** What is to be published, as far as it is judged. */
export interface Candidate {
  readonly network: NetworkName
  /** Handle of the account that will post. */
  readonly account: string
  readonly action: ActionType
  readonly parts: readonly string[]
  readonly target?: ReplyTarget
  /** The item that it is already, so that it is not compared with itself. */
  readonly itemId?: number
  /** When it will be out. UTC ms. */
  readonly at: number
}

/** What a reply answers; stored with the item, as JSON. */
export interface ReplyTarget {
  readonly id: string
  readonly cid?: string
  readonly root?: { readonly id: string; readonly cid?: string }
  readonly url: string
  readonly authorId: string
  readonly author: string
  /** Its text, for the person who decides; a stranger's. */
  readonly text: string
  readonly addressesUs: boolean
  /** Why the network will not take the reply. */
  readonly refusal?: string
}

/**
 * The first rule that the candidate breaks, or undefined. Asks the database only, and is asked when proposing, approving and
 * just before sending. Length is not its business: the adapter's `prepare` knows.
 */
export async function safetyProblem(
  db: Database,
  candidate: Candidate,
  config: Pick<SocialConfig, 'limits' | 'targets' | 'networks' | 'business'>,
): Promise<SocialFailure | undefined> {
  const ofReply = candidate.action === 'reply' ? await replyProblem(db, candidate, config) : undefined
  return ofReply ?? (await contentProblem(db, candidate, config))
}
