import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { ReplyTarget } from '../policy/safety-checks.js'
import type { Row } from '../records/row.js'
import type { ActionType, Database } from '../records/schema.js'

export type Item = Row<'approval_queue'>

/** A file that goes with a part; the bytes lie in `media`. */
export interface MediaNote {
  /** From 0. */
  readonly part: number
  readonly sha256: string
  readonly mime: string
  readonly bytes: number
  readonly alt: string
}

/** What somebody wants published. */
export interface Proposal {
  readonly network: NetworkAdapter
  /** Handle of the account that will post. */
  readonly account: string
  readonly action: ActionType
  readonly parts: readonly string[]
  readonly media?: readonly MediaNote[]
  /** Of a reply, and only of one. */
  readonly target?: ReplyTarget
  readonly topic?: string
  /** Archetype, format or structure. */
  readonly archetype?: string
  /** Of the post that is replied to. */
  readonly score?: number
  readonly generatedBy?: 'llm' | 'template'
  /** As the network has it; default: the network's own. */
  readonly visibility?: string
  /** UTC ms. */
  readonly scheduledFor?: number
  readonly draftId?: number
  readonly origin: 'agent' | 'autopilot'
  readonly owner: string
  /** Unique per owner; a second proposal under it is the first item. */
  readonly key: string
  /** Else an equal item of the owner that waits is the same one, too. */
  readonly isKeyGiven: boolean
  readonly argumentsHash: string
  readonly correlationId?: string
}

export interface Proposed {
  readonly item: Item
  /** The item was there already. */
  readonly replayed: boolean
}

/**
 * The one way into the approval queue, for agents and loops alike. Refuses what breaks a rule or does not fit. With approval
 * on the item is `pending`; with approval off it is approved by `system:autopilot` in the same transaction, if its limits allow.
 */
export interface Proposals {
  propose(db: Database, proposal: Proposal): Promise<Proposed>
  /** Behind the commit of a proposal: the publisher looks for it. */
  wake(): void
}
