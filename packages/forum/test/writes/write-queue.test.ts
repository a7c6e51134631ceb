import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import type { ForumFailure } from '../../src/failure/forum-failure.js'
import { writesWaitingMax } from '../../src/limits.js'
import { WriteQueue } from '../../src/writes/write-queue.js'
import { openTestStore } from '../support/test-store.js'
import { until } from '../support/until.js'

const base = 'https://forum.test'

describeBothDatabases('the pace of writes', (database) => {
  async function setUp() {
    const location = await database.create()
    const clock = new VirtualClock()
    const start = clock.now()
    const stores = [await openTestStore(location), await openTestStore(location)] as const
    const [queue, replica] = stores.map((store) => new WriteQueue({ store, clock })) as [WriteQueue, WriteQueue]
    const left: [who: string, at: number][] = []
    const failed: [who: string, ForumFailure][] = []
    const nobody = new AbortController().signal
    /** One who waits, and is written down when it may leave. */
    const come = (who: string, line: WriteQueue, { within = 60_000, signal = nobody, on = base } = {}) =>
      line.turn(on, { deadline: clock.now() + within, signal }).then(
        ({ at, over }) => {
          expect(at).toBe(clock.now())
          left.push([who, at - start])
          over()
        },
        (error) => void failed.push([who, error]),
      )
    /** Goes on to that time once somebody sleeps until then. */
    const passTo = async (ms: number) => {
      await until(() => clock.nextWake === start + ms)
      clock.set(start + ms)
    }
    return {
      clock,
      queue,
      replica,
      left,
      failed,
      come,
      passTo,
      stores,
      [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((store) => store.close()))),
    }
  }

  it('lets one leave every second, in the order in which they came', async () => {
    await using rig = await setUp()
    for (const who of ['a', 'b', 'c']) void rig.come(who, rig.queue)
    await rig.passTo(1000)
    await rig.passTo(2000)
    await until(() => rig.left.length === 3)
    expect(rig.left).toEqual([
      ['a', 0],
      ['b', 1000],
      ['c', 2000],
    ])
  })

  it('is one for all replicas', async () => {
    await using rig = await setUp()
    for (const line of [rig.queue, rig.replica, rig.queue, rig.replica]) void rig.come('x', line)
    for (const ms of [1000, 2000, 3000]) await rig.passTo(ms)
    await until(() => rig.left.length === 4)
    expect(rig.left.map(([, at]) => at)).toEqual([0, 1000, 2000, 3000])
  })

  it('is each forum’s own', async () => {
    await using rig = await setUp()
    await Promise.all([rig.come('a', rig.queue), rig.come('b', rig.queue, { on: 'https://other.test' })])
    expect(rig.left.map(([, at]) => at)).toEqual([0, 0])
  })

  it('starts anew after a while without writes', async () => {
    await using rig = await setUp()
    await rig.come('a', rig.queue)
    rig.clock.advance(5000)
    await rig.come('b', rig.replica)
    expect(rig.left[1]).toEqual(['b', 5000])
  })

  it('closes up when somebody in the middle leaves', async () => {
    await using rig = await setUp()
    const leaving = new AbortController()
    void rig.come('a', rig.queue)
    void rig.come('b', rig.queue)
    void rig.come('c', rig.queue, { signal: leaving.signal })
    void rig.come('d', rig.queue)
    await until(() => rig.left.length === 1)
    leaving.abort()
    await until(() => rig.failed.length === 1)
    expect(rig.failed[0]).toMatchObject(['c', { code: 'cancelled', details: { outcome: 'rejected' } }])
    await rig.passTo(1000)
    await rig.passTo(2000)
    await until(() => rig.left.length === 3)
    expect(rig.left.at(-1)).toEqual(['d', 2000])
  })

  it('gives back the time of one who leaves after it was reserved', async () => {
    await using rig = await setUp()
    const leaving = new AbortController()
    void rig.come('a', rig.queue)
    void rig.come('b', rig.queue, { signal: leaving.signal })
    void rig.come('c', rig.queue)
    await until(() => rig.clock.nextWake === rig.clock.now() + 1000)
    leaving.abort()
    await until(() => rig.failed.length === 1)
    await rig.passTo(1000)
    await until(() => rig.left.length === 2)
    expect(rig.left[1]).toEqual(['c', 1000])
  })

  it('does not give back what is followed by another replica’s time', async () => {
    await using rig = await setUp()
    const leaving = new AbortController()
    await rig.come('a', rig.queue)
    void rig.come('b', rig.queue, { signal: leaving.signal })
    await until(() => rig.clock.nextWake === rig.clock.now() + 1000)
    void rig.come('c', rig.replica)
    await until(() => rig.clock.nextWake === rig.clock.now() + 1000)
    // The row is the only sign that the replica has its time.
    const nextAt = async () =>
      (await rig.stores[0].db.selectFrom('write_slots').select('next_at').executeTakeFirst())!.next_at
    while ((await nextAt()) < rig.clock.now() + 3000) await Promise.resolve()
    leaving.abort()
    await until(() => rig.failed.length === 1)
    expect(await nextAt()).toBe(rig.clock.now() + 3000)
  })

  it('refuses at once whose time would come too late, and takes no time for it', async () => {
    await using rig = await setUp()
    await rig.come('a', rig.queue)
    await rig.come('b', rig.replica, { within: 999 })
    expect(rig.failed[0]).toMatchObject(['b', { code: 'timeout', details: { outcome: 'rejected', retry_after_s: 1 } }])
    void rig.come('c', rig.replica)
    await rig.passTo(1000)
    await until(() => rig.left.length === 2)
    expect(rig.left[1]).toEqual(['c', 1000])
  })

  it('refuses at once who stands too far behind', async () => {
    await using rig = await setUp()
    for (const who of ['a', 'b', 'c', 'd']) void rig.come(who, rig.queue)
    await rig.come('e', rig.queue, { within: 2500 })
    expect(rig.failed[0]).toMatchObject(['e', { code: 'timeout', details: { outcome: 'rejected' } }])
    for (const ms of [1000, 2000, 3000]) await rig.passTo(ms)
    await until(() => rig.left.length === 4)
  })

  it('refuses who waits behind one whose time is later than its own deadline', async () => {
    await using rig = await setUp()
    for (let count = 0; count < 5; count += 1) void rig.come('x', rig.replica)
    for (const ms of [1000, 2000, 3000]) await rig.passTo(ms)
    await until(() => rig.clock.nextWake === rig.clock.now() + 1000)
    void rig.come('a', rig.queue, { within: 30_000 })
    void rig.come('b', rig.queue, { within: 1500 })
    // Of the replica's last and of `a`, at 4000 and 5000; of `b`, at 4500.
    await rig.passTo(4000)
    await until(() => rig.left.length === 5)
    await rig.passTo(4500)
    await until(() => rig.failed.length === 1)
    expect(rig.failed[0]).toMatchObject(['b', { code: 'timeout', details: { outcome: 'rejected' } }])
    await rig.passTo(5000)
    await until(() => rig.left.length === 6)
  })

  it('has room for so many', async () => {
    await using rig = await setUp()
    const leaving = new AbortController()
    const all = Array.from({ length: writesWaitingMax }, () => rig.come('x', rig.queue, { signal: leaving.signal }))
    await rig.come('y', rig.queue)
    expect(rig.failed[0]).toMatchObject([
      'y',
      { code: 'rate_limited', details: { outcome: 'rejected', retry_after_s: writesWaitingMax } },
    ])
    leaving.abort()
    await Promise.all(all)
  })

  it('does not wait for times that were reserved before the clock was set back', async () => {
    await using rig = await setUp()
    rig.clock.set(rig.clock.now() + 86_400_000)
    await rig.come('a', rig.queue)
    rig.clock.set(rig.clock.now() - 86_400_000)
    await rig.come('b', rig.queue)
    expect(rig.left[1]).toEqual(['b', 0])
  })

  it('keeps its distance from one that was held up on its way', async () => {
    await using rig = await setUp()
    const scope = { deadline: rig.clock.now() + 60_000, signal: new AbortController().signal }
    const held = await rig.queue.turn(base, scope)
    void rig.come('a', rig.queue)
    rig.clock.advance(2500)
    await rig.come('b', rig.queue, { on: 'https://other.test' })
    expect(rig.left).toEqual([['b', 2500]])
    held.over()
    await rig.passTo(3500)
    await until(() => rig.left.length === 2)
    expect(rig.left[1]).toEqual(['a', 3500])
    held.over()
    void rig.come('c', rig.queue)
    await rig.passTo(4500)
    await until(() => rig.left.length === 3)
  })

  it('takes no time where what belongs to it fails', async () => {
    await using rig = await setUp()
    const scope = { deadline: rig.clock.now() + 60_000, signal: new AbortController().signal }
    const failing = rig.queue.turn(base, scope, async () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await rig.come('a', rig.queue)
    expect(rig.left).toEqual([['a', 0]])
  })
})
