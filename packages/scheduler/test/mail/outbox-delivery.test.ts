import { describeBothDatabases, type TestDatabase } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import type { MailTransport } from '../../src/mail/mail-transport.js'
import type { NewMail } from '../../src/mail/outbox.js'
import { OutboxDelivery } from '../../src/mail/outbox-delivery.js'
import { deferred, FakeTransport, lasting, refused } from '../support/fake-transport.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const minute = 60_000
const hour = 60 * minute

function mail(change: Partial<NewMail> = {}): NewMail {
  return { kind: 'notice', messageId: '<a@example.org>', to: 'ada@example.org', subject: 'A', text: 'Hello', ...change }
}

async function rowOf({ store }: TestFoundation, id: string) {
  return store.db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function events({ store }: TestFoundation): Promise<string[]> {
  const rows = await store.db.selectFrom('activity').select('event_type').orderBy('id').execute()
  return rows.map(({ event_type }) => event_type)
}

async function open(database: TestDatabase, transport?: MailTransport) {
  const foundation = await openTestFoundation({ location: await database.create() })
  const outbox = new OutboxDelivery(foundation, transport)
  return { foundation, outbox, db: foundation.store.db, clock: foundation.clock }
}

describeBothDatabases('the outbox', (database) => {
  it('sends what is due, oldest first, and notes it once', async () => {
    const transport = new FakeTransport()
    const { foundation, outbox, db, clock } = await open(database, transport)
    await using _ = foundation
    for (const n of [1, 2, 3]) {
      await outbox.add(db, mail({ messageId: `<${n}@example.org>`, subject: `${n}` }))
      clock.advance(1)
    }
    expect(await outbox.deliverDue()).toBeUndefined()
    expect(transport.mails.map(({ subject }) => subject)).toEqual(['1', '2', '3'])
    expect(await outbox.deliverDue()).toBeUndefined()
    expect(await events(foundation)).toEqual(['email_sent', 'email_sent', 'email_sent'])
  })

  it('keeps mail without a transport, and sends it once there is one', async () => {
    const { foundation, outbox, db } = await open(database)
    await using _ = foundation
    const id = await outbox.add(db, mail())
    expect(await outbox.deliverDue()).toBeUndefined()
    expect(await outbox.sendNow(id, 10)).toBe('queued')
    expect(await rowOf(foundation, id)).toMatchObject({ state: 'pending', tries: 0 })
    foundation.clock.advance(100 * hour)
    expect(await new OutboxDelivery(foundation, new FakeTransport()).sendNow(id, 10)).toBe('sent')
  })

  it('tries again after 1, 2, 5, 15, 60 minutes and hourly, with the same mail each time, and gives up after 72 hours', async () => {
    const transport = new FakeTransport()
    const { foundation, outbox, db, clock } = await open(database, transport)
    await using _ = foundation
    const start = clock.now()
    const id = await outbox.add(db, mail())
    const times: number[] = []
    for (;;) {
      transport.answers.push(deferred)
      const next = await outbox.deliverDue()
      if (next === undefined) break
      times.push((next - start) / minute)
      expect(await rowOf(foundation, id)).toMatchObject({
        state: 'pending',
        last_error: '451 try later',
        lease_until: null,
      })
      clock.set(next)
    }
    expect(times.slice(0, 6)).toEqual([1, 3, 8, 23, 83, 143])
    expect(times.at(-1)).toBe(72 * 60)
    expect(await rowOf(foundation, id)).toMatchObject({ state: 'dead', tries: 77 })
    expect(new Set(transport.mails.map((sent) => JSON.stringify(sent))).size).toBe(1)
    expect(await events(foundation)).toEqual(['email_failed'])
  })

  it('gives up at once what the server refuses, until it is requeued', async () => {
    const transport = new FakeTransport()
    transport.answers.push(refused)
    const { foundation, outbox, db, clock } = await open(database, transport)
    await using _ = foundation
    const id = await outbox.add(db, mail())
    expect(await outbox.sendNow(id, 10_000)).toBe('dead')
    clock.advance(80 * hour)
    expect(await outbox.deliverDue()).toBeUndefined()
    expect(await foundation.store.transaction((tx) => outbox.requeue(tx, id))).toBe(true)
    expect(await foundation.store.transaction((tx) => outbox.requeue(tx, id))).toBe(false)
    transport.answers.push(deferred)
    expect(await outbox.deliverDue()).toBe(clock.now() + minute)
    clock.advance(minute)
    await outbox.deliverDue()
    expect(await rowOf(foundation, id)).toMatchObject({ state: 'sent', sent_at: clock.now(), last_error: null })
    expect(new Set(transport.mails.map(({ messageId }) => messageId)).size).toBe(1)
    expect(await events(foundation)).toEqual(['email_failed', 'email_sent'])
  })

  it('notes one trigger_email_sent, and only after the server took it', async () => {
    const transport = new FakeTransport()
    transport.answers.push(deferred)
    const { foundation, outbox, db, clock } = await open(database, transport)
    await using _ = foundation
    const id = await outbox.add(db, mail({ kind: 'trigger' }))
    const trigger = { id: 'trg_1', source: 'lab', target: 'main', depth: 1, subject: 's', body: 'b', outbox_id: id }
    await db
      .insertInto('triggers')
      .values({ ...trigger, accepted_at: 0, expires_at: 1 })
      .execute()
    expect(await outbox.sendNow(id, 10_000)).toBe('queued')
    expect(await events(foundation)).toEqual([])
    clock.advance(minute)
    await Promise.all([outbox.deliverDue(), outbox.sendNow(id, 10_000), outbox.sendNow(id, 10_000)])
    const rows = await db.selectFrom('activity').select(['event_type', 'group_folder', 'details']).execute()
    expect(rows).toEqual([{ event_type: 'trigger_email_sent', group_folder: 'lab', details: expect.any(String) }])
    expect(JSON.parse(rows[0]!.details)).toMatchObject({ trigger_id: 'trg_1', target_group: 'main', tries: 2 })
  })

  it('changes what depends on a mail in the transaction that notes it, or nothing', async () => {
    const { foundation, db } = await open(database)
    await using _ = foundation
    let broken = true
    const outbox = new OutboxDelivery(foundation, new FakeTransport(), {
      async onSent() {
        if (broken) throw new Error('no')
      },
    })
    const id = await outbox.add(db, mail())
    let failure: unknown
    const delivering = outbox.deliverDue().catch((error) => {
      failure = error
    })
    while (failure === undefined) await moment(foundation)
    await delivering
    expect(String(failure)).toBe('Error: no')
    expect(await events(foundation)).toEqual([])
    expect(await rowOf(foundation, id)).toMatchObject({ state: 'sending' })
    broken = false
    foundation.clock.advance(minute)
    expect(await outbox.sendNow(id, 10_000)).toBe('sent')
    expect(await events(foundation)).toEqual(['email_sent'])
  })

  it('answers for a first try when its time is up, while the try goes on', async () => {
    const transport = new FakeTransport()
    const slow = lasting()
    transport.answers.push(slow.answer)
    const { foundation, outbox, db, clock } = await open(database, transport)
    await using _ = foundation
    const id = await outbox.add(db, mail())
    const first = outbox.sendNow(id, 10_000)
    await untilSending(transport, 1)
    clock.advance(10_000)
    expect(await first).toBe('queued')
    const second = outbox.sendNow(id, 10_000)
    slow.end({ kind: 'sent' })
    expect(await second).toBe('sent')
    expect(transport.mails).toHaveLength(1)
  })

  it('gives back what it was sending when it closes, uncounted', async () => {
    const transport = new FakeTransport()
    transport.answers.push(lasting().answer)
    const { foundation, outbox, db, clock } = await open(database, transport)
    await using _ = foundation
    const id = await outbox.add(db, mail())
    outbox.start()
    await untilSending(transport, 1)
    const closing = outbox.close()
    clock.advance(5_000)
    await closing
    expect(await rowOf(foundation, id)).toMatchObject({ state: 'pending', tries: 0, next_try: clock.now() })
    await outbox.close()
  })
})

describeBothDatabases('two processes with one outbox', (database) => {
  async function openTwo() {
    const location = await database.create()
    const first = await openTestFoundation({ location })
    const second = await openTestFoundation({ location, clock: first.clock })
    return { first, second, clock: first.clock }
  }

  it('send each mail once', async () => {
    const { first, second } = await openTwo()
    await using _ = first
    await using __ = second
    const transports = [new FakeTransport(), new FakeTransport()] as const
    const outboxes = [new OutboxDelivery(first, transports[0]), new OutboxDelivery(second, transports[1])] as const
    const ids: string[] = []
    for (let n = 0; n < 30; n++)
      ids.push(await outboxes[0].add(first.store.db, mail({ messageId: `<${n}@example.org>` })))
    await Promise.all([
      ...outboxes.map((outbox) => outbox.deliverDue()),
      ...ids.map((id) => outboxes[1].sendNow(id, 1_000)),
    ])
    const sent = transports.flatMap(({ mails }) => mails.map(({ messageId }) => messageId))
    expect(sent).toHaveLength(30)
    expect(new Set(sent).size).toBe(30)
  })

  it('take over what one no longer sends, and believe only the new owner', async () => {
    const { first, second, clock } = await openTwo()
    await using _ = first
    await using __ = second
    const [lost, quick] = [new FakeTransport(), new FakeTransport()]
    const slow = lasting()
    lost.answers.push(slow.answer)
    const [one, other] = [new OutboxDelivery(first, lost), new OutboxDelivery(second, quick)]
    const id = await one.add(first.store.db, mail())
    const sending = one.sendNow(id, 10_000_000)
    await untilSending(lost, 1)
    expect(await other.deliverDue()).toBe(clock.now() + minute)
    expect(quick.mails).toEqual([])
    clock.advance(minute)
    await other.deliverDue()
    expect(quick.mails).toEqual(lost.mails)
    slow.end(refused)
    expect(await sending).toBe('sent')
    expect(await rowOf(first, id)).toMatchObject({ state: 'sent', tries: 2 })
    expect(await events(first)).toEqual(['email_sent'])
    expect(first.logged).toEqual([
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('taken over') }),
    ])
  })

  it('believe only the new owner while it is still sending, too', async () => {
    const { first, second, clock } = await openTwo()
    await using _ = first
    await using __ = second
    const transports = [new FakeTransport(), new FakeTransport()] as const
    const sends = [lasting(), lasting()] as const
    for (const n of [0, 1] as const) transports[n].answers.push(sends[n].answer)
    const [one, other] = [new OutboxDelivery(first, transports[0]), new OutboxDelivery(second, transports[1])]
    const id = await one.add(first.store.db, mail())
    const lost = one.sendNow(id, 10_000_000)
    await untilSending(transports[0], 1)
    clock.advance(minute)
    const owned = other.sendNow(id, 10_000_000)
    await untilSending(transports[1], 1)
    sends[0].end(refused)
    expect(await lost).toBe('queued')
    expect(await rowOf(first, id)).toMatchObject({ state: 'sending', tries: 2 })
    sends[1].end({ kind: 'sent' })
    expect(await owned).toBe('sent')
    expect(await events(first)).toEqual(['email_sent'])
  })
})

/** Lets the database work, then moves the clock to whoever waits for it. */
async function moment({ clock, store }: TestFoundation): Promise<void> {
  await store.db.selectFrom('kv').selectAll().execute()
  if (clock.nextWake !== undefined) clock.set(clock.nextWake)
}

async function untilSending(transport: FakeTransport, count: number): Promise<void> {
  while (transport.mails.length < count) await new Promise((resolve) => setImmediate(resolve))
}
