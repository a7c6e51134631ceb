import { openStore, type Store } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { expect, onTestFinished, vi } from 'vitest'
import { migrations } from '../../../src/records/migrations.js'
import type { SocialSchema } from '../../../src/records/schema.js'

/** The database that the workers share; open until the test ends. */
export async function sharedStore(location: TestLocation): Promise<Store<SocialSchema>> {
  const store = await openStore<SocialSchema>({
    name: 'social',
    migrations,
    ...location,
    durability: 'normal',
    access: 'shared',
  })
  onTestFinished(() => store.close())
  return store
}

/** Waits until every item is out, and read back by its network. */
export async function allVerified({ db }: Store<SocialSchema>, count: number): Promise<void> {
  const done = async () => {
    const rows = await db.selectFrom('outbox').select(['status', 'verified_at', 'last_error']).execute()
    expect(rows).toHaveLength(count)
    for (const row of rows) expect(row).toMatchObject({ status: 'posted', verified_at: expect.any(Number) })
  }
  await vi.waitFor(done, { timeout: 20_000, interval: 50 })
}

/** What an item that went out once leaves behind. */
export async function expectPostedOnce({ db }: Store<SocialSchema>, parts: number, item = 1): Promise<void> {
  const { status } = await db
    .selectFrom('approval_queue')
    .select('status')
    .where('id', '=', item)
    .executeTakeFirstOrThrow()
  expect(status).toBe('posted')
  const rows = await db.selectFrom('outbox').selectAll().where('approval_id', '=', item).execute()
  expect(rows).toMatchObject([{ status: 'posted', lease_owner: null, lease_until: null, last_error: null }])
  const outboxId = rows[0]!.id
  const ledger = await db.selectFrom('rate_ledger').select('state').where('outbox_id', '=', outboxId).execute()
  expect(ledger).toEqual([{ state: 'used' }])
  const sent = await db.selectFrom('outbox_parts').selectAll().where('outbox_id', '=', outboxId).execute()
  expect(sent).toHaveLength(parts)
  expect(new Set(sent.map(({ remote_id }) => remote_id)).size).toBe(parts)
  const log = await db.selectFrom('action_log').select(['action_type', 'metadata']).execute()
  const posted = log.filter(
    ({ action_type, metadata }) => action_type.endsWith('_posted') && JSON.parse(metadata).item_id === item,
  )
  expect(posted).toHaveLength(1)
}
