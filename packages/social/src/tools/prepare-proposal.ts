import { storable } from '@callboard/store'
import { failure } from '../envelope/failure.js'
import { postIdMax, postNameMax, postTextMax, postUrlMax, scheduledAheadMsMax } from '../limits.js'
import type { ReadMedium } from '../media/media-store.js'
import type { NetworkAdapter, NetworkPost } from '../networks/network-adapter.js'
import type { ReplyTarget } from '../policy/safety-checks.js'
import type { Row } from '../records/row.js'
import type { Actor } from './actor.js'
import { actionTypes } from './item-view.js'
import type { ProposalParts } from './proposal-tools.js'
import type { ProposeInput } from './propose-post-input.js'

/** Everything that had to be asked of others before the transaction. */
export interface PreparedProposal {
  readonly network: NetworkAdapter
  readonly account: string
  readonly kind: 'reply' | 'tweet' | 'thread'
  readonly parts: readonly string[]
  readonly target?: ReplyTarget
  readonly media: readonly ReadMedium[]
  readonly draft?: Row<'drafts'>
  readonly scheduledFor?: number
}

/** Asks everybody who has to be asked before the transaction; stores nothing. */
export async function prepareProposal(
  parts: ProposalParts,
  input: ProposeInput,
  actor: Actor,
  signal: AbortSignal,
): Promise<PreparedProposal> {
  const draft = await draftOf(parts, input, actor)
  const kind = draft?.kind ?? input.kind
  if (kind === undefined)
    throw failure('validation_error', `kind: required with parts; one of ${actionTypes.join(', ')}.`)
  const network = parts.networks.get(draft?.network ?? input.network)
  if (!network.capabilities.canPost) {
    throw failure(
      'capability_missing',
      `The account on ${network.name} may not post (tier ${network.capabilities.tier}).`,
    )
  }
  const scheduledFor = futureTime(input.scheduled_for, parts.clock.now())
  const target = await targetOf(network, kind, input.reply_to, signal)
  const media = await parts.media.read(input.media, {
    network,
    parts: draft === undefined ? (input.parts?.length ?? 0) : 1,
  })
  const { handle } = await network.account(signal)
  const given = draft === undefined ? (input.parts ?? []) : (JSON.parse(draft.parts) as string[])
  return {
    network,
    account: handle,
    kind,
    parts: target === undefined ? given : given.map((text) => addressed(text, network.replyPrefix(target.author))),
    media,
    ...(target !== undefined && { target }),
    ...(draft !== undefined && { draft }),
    ...(scheduledFor !== undefined && { scheduledFor }),
  }
}

async function draftOf(
  { store }: ProposalParts,
  input: ProposeInput,
  actor: Actor,
): Promise<Row<'drafts'> | undefined> {
  if ((input.parts === undefined) === (input.draft_id === undefined)) {
    throw failure('validation_error', 'parts, draft_id: give exactly one of them.')
  }
  if (input.draft_id === undefined) return undefined
  const draft = await store.db.selectFrom('drafts').selectAll().where('id', '=', input.draft_id).executeTakeFirst()
  if (draft === undefined || (!actor.isOperator && draft.owner !== actor.owner)) {
    throw failure('not_found', `There is no draft ${input.draft_id}. compose_tweet makes one.`)
  }
  if (input.kind !== undefined && input.kind !== draft.kind) {
    throw failure('validation_error', `kind: the draft is a ${draft.kind}; leave kind out.`)
  }
  if (input.network !== undefined && input.network !== draft.network) {
    throw failure(
      'validation_error',
      `network: the draft was written for ${draft.network}; leave network out, or give its text as parts.`,
    )
  }
  return draft
}

function futureTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (time > now && time <= now + scheduledAheadMsMax) return time
  throw failure('validation_error', `scheduled_for: must be in the future, at most a year ahead (got ${text}).`)
}

async function targetOf(
  network: NetworkAdapter,
  kind: PreparedProposal['kind'],
  replyTo: string | undefined,
  signal: AbortSignal,
): Promise<ReplyTarget | undefined> {
  if (kind !== 'reply') {
    if (replyTo === undefined) return undefined
    throw failure('validation_error', `reply_to: a ${kind} answers nobody; leave it out, or let kind be reply.`)
  }
  if (replyTo === undefined) throw failure('validation_error', 'reply_to: required; URL or id of the post to answer.')
  const ref = network.parseRef(replyTo)
  if (ref === undefined) {
    throw failure(
      'validation_error',
      `reply_to: is no URL or id of a post on ${network.name}; name its network if it is another.`,
    )
  }
  const [post] = await network.posts([ref], signal)
  if (post === undefined)
    throw failure('not_found', `There is no such post on ${network.name}; it may have been deleted.`)
  return replyTarget(post)
}

function replyTarget(post: NetworkPost): ReplyTarget {
  return {
    ...post.ref,
    url: storable(post.url, postUrlMax),
    authorId: storable(post.authorId, postIdMax),
    author: storable(post.authorUsername, postNameMax),
    text: storable(post.text, postTextMax),
    addressesUs: post.addressesUs,
    ...(post.root !== undefined && { root: post.root }),
    ...(post.replyRefusal !== undefined && { refusal: post.replyRefusal }),
  }
}

/** Where a network reaches the author only by name, the text begins with it. */
function addressed(text: string, prefix: string): string {
  const name = prefix.trim()
  const isSaid = text.slice(0, name.length).toLowerCase() === name.toLowerCase()
  // "@bobby" and "@bob@elsewhere" are other people than "@bob".
  return prefix === '' || (isSaid && !/^[\p{L}\p{N}_@.-]/u.test(text.slice(name.length))) ? text : prefix + text
}
