import { sql } from 'kysely'
import { expect, it } from 'vitest'
import * as due from '../../src/engine/due-times.js'
import { openTestFoundation } from '../support/test-foundation.js'

it('a round without work looks at the beginning of indexes, and at no table', async () => {
  await using foundation = await openTestFoundation()
  const { db } = foundation.store
  const queries = [
    due.dueTasks(db, 1),
    due.nextTask(db),
    due.nextRetry(db),
    due.nextDelayed(db, 1),
    due.nextLeaseEnd(db, []),
    due.nextLeaseEnd(db, ['run_a']),
    due.expiredLeases(db, 1),
  ]
  for (const query of queries) {
    const plan = (await query.explain(undefined, sql`query plan`)).map(({ detail }) => detail).join('; ')
    expect(plan).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX \w+ \([^)]+\)$/)
  }
})
