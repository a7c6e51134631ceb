import { expect, test } from 'vitest'
import { operator } from '../support/call-tool.js'
import { openPostingDesk } from '../support/posting-desk.js'

const answerBytesMax = 4 * 1024 * 1024
const bytesOf = (answer: unknown) => Buffer.byteLength(JSON.stringify([answer, JSON.stringify(answer)]))

test('an agent can not fill the queue so that an operator sees nothing of it', async () => {
  await using desk = await openPostingDesk()
  const { db } = desk.foundation.store
  const id = await desk.propose({ kind: 'thread', parts: ['First of all.', 'And then.'] })
  await db
    .updateTable('approval_queue')
    .set({ parts: JSON.stringify(Array(25).fill('"'.repeat(10_000))) })
    .execute()
  // Where a server takes posts of any length.
  const { id: _, ...row } = await db.selectFrom('approval_queue').selectAll().executeTakeFirstOrThrow()
  for (let copy = 0; copy < 20; copy += 1) {
    await db
      .insertInto('approval_queue')
      .values({ ...row, idempotency_key: `copy ${copy}` })
      .execute()
    await db
      .insertInto('approval_revisions')
      .values({ approval_id: id, rev: copy + 2, parts: row.parts, content_hash: 'x', principal: 'agent:ada', at: 1 })
      .execute()
  }
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const page = await desk.call('list_pending_approvals', { limit: 200, ...(cursor && { cursor }) }, operator)
    expect(bytesOf(page)).toBeLessThan(answerBytesMax)
    seen.push(...page.data.map((item: { id: number }) => item.id))
    cursor = page.meta.pagination?.next_token
  } while (cursor !== undefined)
  expect(seen).toHaveLength(21)
  expect(new Set(seen).size).toBe(21)
  expect(bytesOf(await desk.call('get_item', { id }, operator))).toBeLessThan(answerBytesMax)
})
