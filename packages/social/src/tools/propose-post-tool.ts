import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import type { Item } from '../approval/proposals.js'
import { itemStatuses, statusOf } from './item-view.js'
import { backendOf } from './network-input.js'
import { prepareProposal } from './prepare-proposal.js'
import type { ProposalParts } from './proposal-tools.js'
import { proposeInput } from './propose-post-input.js'
import { changing, proposes, type SocialTool } from './social-tool.js'

const proposedView = z.strictObject({
  id: z.int(),
  status: z.enum(itemStatuses),
  rev: z.int(),
  content_hash: z.string(),
  expires_at: z.string().nullable(),
  replayed: z.boolean().describe('Whether the item was there already'),
})

export function proposePostTool(parts: ProposalParts): SocialTool {
  return changing({
    name: 'propose_post',
    title: 'Propose a post',
    description:
      'Proposes a post, a reply or a thread for publishing. It waits as pending until a person approves it with: callboard approvals. No agent can approve; where an operator has switched approval off it is approved at once. Publishing itself happens later: see get_item.',
    input: proposeInput,
    data: proposedView,
    marks: proposes,
    prepare: (input, actor, { signal }) => prepareProposal(parts, input, actor, signal),
    async change(_, actor, db, prepared, { key, isKeyGiven, argumentsHash, correlationId }) {
      const { network, account, kind, target, media, draft, scheduledFor } = prepared
      const notes = await parts.media.store(db, media)
      const { item, replayed } = await parts.proposals.propose(db, {
        network,
        account,
        action: kind,
        parts: prepared.parts,
        media: notes,
        origin: 'agent',
        owner: actor.owner,
        key,
        isKeyGiven,
        argumentsHash,
        correlationId,
        ...(target !== undefined && { target }),
        ...(network.visibility !== undefined && { visibility: network.visibility }),
        ...(scheduledFor !== undefined && { scheduledFor }),
        ...(draft !== undefined && {
          draftId: draft.id,
          generatedBy: draft.generated_by,
          ...(draft.topic !== null && { topic: draft.topic }),
          ...(draft.format !== null && { archetype: draft.format }),
        }),
      })
      return {
        data: viewProposed(item, replayed, parts.clock.now()),
        meta: { ...backendOf(network.name), rollback: rollbackOf(item) },
      }
    },
    replayed: ({ data, ...rest }) => ({ ...rest, data: { ...data, replayed: true } }),
    afterwards: () => parts.proposals.wake(),
  })
}

function viewProposed(item: Item, replayed: boolean, now: number): z.output<typeof proposedView> {
  const { id, rev, content_hash, expires_at } = item
  return {
    id,
    status: statusOf(item, now),
    rev,
    content_hash,
    expires_at: expires_at === null ? null : utcText(expires_at),
    replayed,
  }
}

function rollbackOf({ id, status }: Item) {
  if (status === 'pending') return { reversible: true, undo_tool: 'withdraw_item', undo_params: { id } }
  return {
    reversible: false,
    note: 'It was approved already; an operator can take it back as long as nothing is sent.',
  }
}
