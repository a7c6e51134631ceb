import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { recordActivity } from '../../src/activity/record-activity.js'
import { OutboxDelivery } from '../../src/mail/outbox-delivery.js'
import { DigestKeeper } from '../../src/messages/digest-keeper.js'
import { MessageDesk } from '../../src/messages/message-desk.js'
import type { RunOutcome } from '../../src/records/schema.js'
import { deferred, FakeTransport, refused } from '../support/fake-transport.js'
import { mailConfig } from '../support/mail-config.js'
import { openTestFoundation, type TestFoundationOptions } from '../support/test-foundation.js'

const minute = 60_000
const twoHours = 120 * minute

async function open(options: TestFoundationOptions) {
  const foundation = await openTestFoundation({ config: mailConfig, ...options })
  const { store, clock } = foundation
  const transport = new FakeTransport()
  const outbox = new OutboxDelivery(foundation, transport)
  const keeper = new DigestKeeper(foundation, outbox)
  const desk = new MessageDesk(foundation, outbox)
  const base = { depth: 0, priority: 'digest' } as const
  return {
    foundation,
    transport,
    outbox,
    keeper,
    clock,
    post: (text: string, group = 'lab') => store.transaction((tx) => desk.post(tx, { ...base, group, text })),
    /** Moves the clock on, makes what digest is due, and sends it. */
    async after(ms: number) {
      clock.advance(ms)
      await keeper.digestDue()
      await outbox.deliverDue()
      return transport.mails.splice(0)
    },
    async run(outcome: RunOutcome, change: { slots?: number; taskId?: string; at?: number } = {}) {
      const at = change.at ?? clock.now()
      const row = { id: foundation.newId('run'), task_id: change.taskId ?? null, group_folder: 'lab', depth: 0 }
      const slot = { scheduled_for: at + Number(row.id.length), due_at: at, late_ms: 0, slots: change.slots ?? 1 }
      const counts = { attempts: 1, attempts_before: 0, fence: 1, serial: 0, exclusive: 0 } as const
      const end = { state: 'ended', outcome, error: `why ${outcome}`, finished_at: at, created_at: at } as const
      await store.db
        .insertInto('runs')
        .values({ ...row, ...slot, ...counts, ...end })
        .execute()
      return row.id
    },
    async states() {
      const rows = await store.db.selectFrom('messages').select('state').orderBy('id').execute()
      return rows.map(({ state }) => state)
    },
    async events() {
      const rows = await store.db.selectFrom('activity').select('event_type').orderBy('id').execute()
      return rows.map(({ event_type }) => event_type)
    },
  }
}

describeBothDatabases('the digest', (database) => {
  const opened = async (options: TestFoundationOptions = {}) => open({ location: await database.create(), ...options })

  it('comes each interval, and only with items', async () => {
    const { foundation, keeper, clock, post, after, states, events } = await opened()
    await using _ = foundation
    expect(await keeper.digestDue()).toBe(clock.now() + twoHours)
    await post('First')
    await post('Second', 'main')
    expect(await after(twoHours - 1)).toEqual([])
    expect(await after(1)).toEqual([
      expect.objectContaining({
        to: 'ada@example.org',
        subject: 'Callboard digest: 2 items, 2 groups, 2026-03-02 15:00 Europe/Paris',
        text: expect.stringMatching(/\[lab\] lab.*First.*\[main\] main.*Second/s),
        html: expect.stringContaining('First'),
      }),
    ])
    expect(await states()).toEqual(['sent', 'sent'])
    expect(await events()).toEqual(['digest_sent'])
    expect(await after(twoHours)).toEqual([])
    await post('Third')
    expect(await after(twoHours)).toMatchObject([{ text: expect.stringContaining('Third') }])
  })

  it('keeps its items until the server has taken it, with one Message-ID', async () => {
    const { foundation, keeper, transport, outbox, clock, post, states } = await opened()
    await using _ = foundation
    await keeper.digestDue()
    await post('Important')
    clock.advance(twoHours)
    await keeper.digestDue()
    transport.answers.push(deferred, refused)
    await outbox.deliverDue()
    expect(await states()).toEqual(['batched'])
    clock.advance(minute)
    await outbox.deliverDue()
    expect(await states()).toEqual(['batched'])
    clock.advance(twoHours)
    await keeper.digestDue()
    const dead = await foundation.store.db.selectFrom('outbox').select(['id', 'state']).execute()
    expect(dead).toEqual([{ id: expect.any(String), state: 'dead' }])
    await foundation.store.transaction((tx) => outbox.requeue(tx, dead[0]!.id))
    await outbox.deliverDue()
    expect(await states()).toEqual(['sent'])
    expect(new Set(transport.mails.map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('notes a digest that was given up', async () => {
    const { foundation, keeper, transport, post, after, events } = await opened()
    await using _ = foundation
    await keeper.digestDue()
    await post('Important')
    transport.answers.push(refused)
    await after(twoHours)
    expect(await events()).toEqual(['digest_failed'])
  })

  it('keeps its times over a restart, and makes up for a long sleep with one', async () => {
    const location = await database.create()
    const first = await open({ location })
    await using _ = first.foundation
    const start = first.clock.now()
    await first.keeper.digestDue()
    await first.post('Before')
    const second = await open({ location, clock: first.clock, random: () => 0.25 })
    await using __ = second.foundation
    first.clock.advance(3 * 24 * 60 * minute + 7 * minute)
    const next = await second.keeper.digestDue()
    expect((next! - start) % twoHours).toBe(0)
    expect(next! - first.clock.now()).toBe(twoHours - 7 * minute)
    await second.outbox.deliverDue()
    expect(second.transport.mails).toHaveLength(1)
  })

  it('is one, however many processes make it', async () => {
    const location = await database.create()
    const first = await open({ location })
    await using _ = first.foundation
    const second = await open({ location, clock: first.clock, random: () => 0.25 })
    await using __ = second.foundation
    await Promise.all([first.keeper.digestDue(), second.keeper.digestDue()])
    await first.post('Once')
    first.clock.advance(twoHours)
    const [one, other] = await Promise.all([first.keeper.digestDue(), second.keeper.digestDue()])
    expect(one).toBe(other)
    const digests = await first.foundation.store.db.selectFrom('outbox').select('kind').execute()
    expect(digests).toEqual([{ kind: 'digest' }])
  })

  it('is made of failures alone, too, each told once', async () => {
    const { foundation, keeper, clock, after, run } = await opened()
    await using _ = foundation
    await keeper.digestDue()
    for (const outcome of ['ok', 'cancelled', 'skipped_overlap'] as const) await run(outcome)
    expect(await after(twoHours)).toEqual([])
    clock.advance(twoHours - minute)
    for (const outcome of ['failed', 'timed_out', 'empty', 'dead'] as const) await run(outcome)
    await run('missed', { slots: 37 })
    const pause = { type: 'task_auto_paused', group: 'lab', summary: 'daily was paused' } as const
    await recordActivity(foundation.store.db, { at: clock.now(), ...pause })
    const [digest] = await after(minute)
    expect(digest!.subject).toContain('6 items, 1 group')
    for (const part of [
      'failed',
      'timed out',
      'brought nothing',
      'given up',
      'missed, 37 times',
      'why dead',
      'daily was paused',
    ]) {
      expect(digest!.text).toContain(part)
    }
    expect(await after(twoHours)).toEqual([])
  })

  it('tells a run that another process noted late', async () => {
    const { foundation, keeper, clock, after, run } = await opened()
    await using _ = foundation
    await keeper.digestDue()
    const ended = clock.now() + twoHours - 1
    expect(await after(twoHours)).toEqual([])
    await run('failed', { at: ended })
    expect(await after(twoHours)).toMatchObject([{ text: expect.stringContaining('why failed') }])
  })

  it('takes so many items, and leaves the rest to the next one', async () => {
    const { foundation, keeper, post, after, states } = await opened()
    await using _ = foundation
    await keeper.digestDue()
    for (let n = 0; n < 203; n++) await post(`Message ${n}.`)
    const [first] = await after(twoHours)
    expect(first!.subject).toContain('200 items')
    expect(first!.text).toContain('the rest follows')
    expect((await states()).filter((state) => state === 'batched')).toHaveLength(3)
    const [second] = await after(twoHours)
    expect(second!.subject).toContain('3 items')
    expect(second!.text).toMatch(/Message 200\..*Message 202\./s)
  })

  it('is not silenced by a clock that was ahead', async () => {
    const { foundation, keeper, clock, post, after } = await opened()
    await using _ = foundation
    const real = clock.now()
    clock.set('2031-01-01T00:00:00Z')
    await keeper.digestDue()
    clock.set(real)
    expect(await keeper.digestDue()).toBe(real + twoHours)
    await post('Back')
    expect(await after(twoHours)).toHaveLength(1)
  })

  it('does nothing where mail is not configured', async () => {
    const { foundation, keeper, clock, run } = await opened({ config: {} })
    await using _ = foundation
    expect(await keeper.digestDue()).toBeUndefined()
    await run('failed')
    clock.advance(10 * twoHours)
    expect(await keeper.digestDue()).toBeUndefined()
    expect(await keeper.status()).toEqual({ lastSentAt: null, nextAt: null, items: 0 })
  })

  it('tells the status when it was, when it will be, and what waits', async () => {
    const { foundation, keeper, clock, post, after } = await opened()
    await using _ = foundation
    const start = clock.now()
    await keeper.digestDue()
    await post('First')
    expect(await keeper.status()).toEqual({ lastSentAt: null, nextAt: start + twoHours, items: 1 })
    await after(twoHours)
    expect(await keeper.status()).toEqual({ lastSentAt: start + twoHours, nextAt: start + 2 * twoHours, items: 0 })
  })
})
