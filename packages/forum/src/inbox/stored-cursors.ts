import type { Foundation } from '../foundation.js'
import { inboxCursorMs } from '../limits.js'
import type { ToolCall } from '../tools/forum-tool.js'

type Parts = Pick<Foundation, 'store' | 'clock'>

/** The cursor that the owner of the call has passed last, for this forum and as this user. */
export async function lastCursor(call: ToolCall, { store }: Parts): Promise<string | undefined> {
  const { base, identity, owner } = keyOf(call)
  const row = await store.db
    .selectFrom('inbox_cursors')
    .select('cursor')
    .where('base', '=', base)
    .where('identity', '=', identity)
    .where('owner', '=', owner)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.cursor) as string)
}

/** Cursors that nobody has passed for long go: their owner begins anew with what is newest then. */
export async function keepCursor(cursor: string, call: ToolCall, { store, clock }: Parts): Promise<void> {
  const now = clock.now()
  await store.db
    .deleteFrom('inbox_cursors')
    .where('updated_at', '<', now - inboxCursorMs)
    .execute()
  const kept = { cursor: JSON.stringify(cursor), updated_at: now }
  await store.db
    .insertInto('inbox_cursors')
    .values({ ...keyOf(call), ...kept })
    .onConflict((conflict) => conflict.columns(['base', 'identity', 'owner']).doUpdateSet(kept))
    .execute()
}

function keyOf({ selection, owner }: ToolCall) {
  return { base: selection.base, identity: selection.credential.id, owner }
}
