import { z } from 'zod'
import { changeItem, requireTransition } from '../approval/change-item.js'
import { requireSeen } from '../approval/find-item.js'
import { candidateOf, contentOf, hashOf } from '../approval/item-content.js'
import { recordRevision, requireLength } from '../approval/proposal-desk.js'
import type { Item } from '../approval/proposals.js'
import { failure } from '../envelope/failure.js'
import { risksOf } from '../policy/risks.js'
import { safetyProblem } from '../policy/safety-checks.js'
import { findAskedItem, itemInput, partsInput } from './item-input.js'
import { itemView, viewItem } from './item-view.js'
import { backendOf } from './network-input.js'
import type { ProposalParts } from './proposal-tools.js'
import { recordItemAction } from './record-item-action.js'
import { changing, proposes, type SocialTool } from './social-tool.js'

export function editItemTool(parts: ProposalParts): SocialTool {
  return changing({
    name: 'edit_item',
    title: 'Edit a pending item',
    description:
      'Replaces the text of a post of yours that waits. Whoever saw it before can then no longer approve it without looking again.',
    input: z.strictObject({
      ...itemInput,
      rev: z
        .int()
        .min(1)
        .max(Number.MAX_SAFE_INTEGER)
        .describe('The revision that was read; another one is a conflict.'),
      parts: partsInput,
    }),
    data: itemView,
    marks: { ...proposes, openWorldHint: false },
    async change({ id, network: asked, rev, parts: texts }, actor, db, _, { correlationId }) {
      const now = parts.clock.now()
      const item = await findAskedItem(db, { id, network: asked }, actor)
      const network = parts.networks.get(item.network)
      const reply = async (current: Item) => ({
        data: await viewItem(db, current, now, network),
        meta: backendOf(item.network),
      })
      requireTransition(item, 'edit', now)
      const before = contentOf(item)
      const isSame = JSON.stringify(before.parts) === JSON.stringify(texts)
      if (isSame) return reply(item)
      requireSeen(item, { rev })
      if (texts.length === 1 ? item.action_type === 'thread' : item.action_type !== 'thread') {
        throw failure(
          'validation_error',
          `parts: a ${item.action_type} can not have ${texts.length}; propose another item.`,
        )
      }
      if (before.media.some(({ part }) => part >= texts.length)) {
        throw failure('validation_error', 'parts: one that is left out has a picture; propose another item.')
      }
      requireLength({ network, parts: texts, visibility: item.visibility ?? undefined, target: before.target })
      const candidate = candidateOf(item, item.scheduled_for ?? now, texts)
      const problem = await safetyProblem(db, candidate, parts.config)
      if (problem !== undefined) throw problem
      const risks = await risksOf(db, candidate, parts.config)
      const edited = await changeItem(db, item, 'edit', 'pending', now, {
        parts: JSON.stringify(texts),
        content_hash: hashOf(item, texts),
        risks: JSON.stringify(risks),
      })
      await recordRevision(db, edited, actor.principal, now)
      await recordItemAction(db, edited, {
        by: actor.principal,
        at: now,
        status: 'success',
        message: `Item ${id} was edited: revision ${edited.rev}.`,
        correlationId,
      })
      return reply(edited)
    },
  })
}
