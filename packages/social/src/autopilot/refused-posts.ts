import { recordAction } from '../activity/record-action.js'
import type { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { autopilotPostAgeMsMax, autopilotRefusalsMax } from '../limits.js'
import { autopilotOwner } from './autopilot.js'

/** Says that a reply was written in vain; the action log is also how the next pass knows. */
export async function recordRefusal(
  { store, clock }: Foundation,
  type: string,
  post: string,
  problem: SocialFailure,
): Promise<void> {
  await recordAction(store.db, {
    at: clock.now(),
    type,
    status: 'skipped',
    message: `No reply is proposed: ${problem.message}`,
    metadata: { post, code: problem.code },
    principal: autopilotOwner,
  })
}

/** Posts for which a reply was written in vain: a model that is asked again costs again. */
export async function refusedPosts({ store, clock }: Foundation, type: string): Promise<ReadonlySet<string>> {
  const rows = await store.db
    .selectFrom('action_log')
    .select('metadata')
    .where('action_type', '=', type)
    .where('status', '=', 'skipped')
    .where('principal', '=', autopilotOwner)
    .where('created_at', '>=', clock.now() - autopilotPostAgeMsMax)
    .orderBy('created_at', 'desc')
    .limit(autopilotRefusalsMax)
    .execute()
  return new Set(rows.map(({ metadata }) => String((JSON.parse(metadata) as { post?: unknown }).post)))
}
