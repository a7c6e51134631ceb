import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { advanceCursor, beginCursor, readCursor, readingSince, renewCursor } from '../../src/mail/mail-cursor.js'
import { openTestFoundation } from '../support/test-foundation.js'

describeBothDatabases('how far a mailbox has been read', (database) => {
  const key = 'ada@example.org/INBOX'

  it('is set once, whoever comes second', async () => {
    await using foundation = await openTestFoundation({ location: await database.create() })
    const { db } = foundation.store
    expect(await readCursor(db, key)).toBeUndefined()
    await beginCursor(db, key, { uidValidity: 7, lastUid: 5 }, 1_000)
    await beginCursor(db, key, { uidValidity: 7, lastUid: 9 }, 2_000)
    expect(await readCursor(db, key)).toEqual({ uidValidity: 7, lastUid: 5 })
    expect(await readingSince(db, key)).toBe(1_000)
  })

  it('never goes back, and does not move by numbers of another validity', async () => {
    await using foundation = await openTestFoundation({ location: await database.create() })
    const { db } = foundation.store
    await beginCursor(db, key, { uidValidity: 7, lastUid: 5 }, 0)
    await advanceCursor(db, key, { uidValidity: 7, lastUid: 8 })
    await advanceCursor(db, key, { uidValidity: 7, lastUid: 6 })
    await advanceCursor(db, key, { uidValidity: 8, lastUid: 99 })
    expect(await readCursor(db, key)).toEqual({ uidValidity: 7, lastUid: 8 })
  })

  it('is renewed by one of several, who says so', async () => {
    await using foundation = await openTestFoundation({ location: await database.create() })
    const { db } = foundation.store
    const [before, after] = [
      { uidValidity: 7, lastUid: 50 },
      { uidValidity: 8, lastUid: 3 },
    ]
    await beginCursor(db, key, before, 0)
    for (let process = 0; process < 2; process++) await renewCursor(db, key, before, after, 1)
    expect(await readCursor(db, key)).toEqual(after)
    const events = await db.selectFrom('activity').select(['event_type', 'details']).execute()
    expect(events.map(({ event_type: type }) => type)).toEqual(['mail_uidvalidity_changed'])
    expect(JSON.parse(events[0]!.details)).toEqual({ mailbox: key, before: 7, after: 8 })
  })
})
