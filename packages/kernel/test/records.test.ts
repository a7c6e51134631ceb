import { openStore, type Store } from '@callboard/store'
import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KernelRecords } from '../src/records/kernel-records.js'
import { type RunEnd, RunRecords } from '../src/records/run-records.js'
import { type KernelSchema, migrations } from '../src/records/schema.js'

const ann = 'agent:ann'
const bob = 'agent:bob'
const end: RunEnd = {
  status: 'ok',
  code: '1',
  epoch: 1,
  startedAt: 5,
  result: '1',
  error: null,
  names: { added: ['a'], changed: [], deleted: [] },
  truncated: null,
  stdout: 'out',
  stderr: '',
  stdoutBytes: 3,
  stderrBytes: 0,
  spool: null,
}
const day = 24 * 60 * 60 * 1000

describeBothDatabases('kernel records', (database) => {
  let store: Store<KernelSchema>
  let runs: RunRecords
  let kernels: KernelRecords
  let now = 0

  beforeEach(async () => {
    now = 1_000
    const location = await database.create()
    store = await openStore<KernelSchema>({
      name: 'kernel',
      migrations,
      ...location,
      durability: 'normal',
      access: 'shared',
    })
    runs = new RunRecords(store, 'here', () => now++)
    kernels = new KernelRecords(store, 'here', () => now++)
  })
  afterEach(() => store.close())

  const someSession = async () => {
    await store.db
      .insertInto('sessions')
      .values({
        id: 'session',
        owner: ann,
        name: 'untitled',
        vibe: null,
        shared: 0,
        held_by: null,
        state: 'stopped',
        anchor_beat: 0,
        bpm: 120,
        created_at: 1,
        updated_at: 1,
      })
      .execute()
    return 'session'
  }

  const begin = (owner: string, code: string, idempotencyKey = `key of ${code}`) =>
    runs.begin({ owner, kernel: 'session:1', code, idempotencyKey, epoch: null })
  const open = (owner: string, kernel = 'session:1') =>
    kernels.begin({ owner, kernel, runtime: 'python3', pid: 11, pidStarted: '7' })

  it('counts runs and epochs per owner', async () => {
    expect(await Promise.all([begin(ann, 'a'), begin(ann, 'b')])).toEqual([
      { kind: 'new', runId: 1 },
      { kind: 'new', runId: 2 },
    ])
    expect(await begin(bob, 'a')).toEqual({ kind: 'new', runId: 1 })
    expect([await open(ann), await open(ann), await open(bob)]).toEqual([1, 2, 1])
    await kernels.end(ann, 1, { code: null, signal: 'SIGKILL' }, 'why')
    expect(await kernels.last(ann, 'session:1')).toEqual({ epoch: 2, reason: null })
    expect(await kernels.last(ann, 'session:2')).toBeUndefined()
  })

  it('answers a key with the run that it stands for, for a day', async () => {
    const both = await Promise.all([begin(ann, '1', 'k'), begin(ann, '1', 'k')])
    expect(both[0]).toEqual({ kind: 'new', runId: 1 })
    expect(both[1]).toMatchObject({ kind: 'known', run: { runId: 1, status: 'queued' } })
    expect(await begin(ann, '2', 'k')).toEqual({ kind: 'conflict', runId: 1 })
    expect(await begin(bob, '2', 'k')).toEqual({ kind: 'new', runId: 1 })
    now += day + 1
    expect(await begin(ann, '2', 'k')).toEqual({ kind: 'new', runId: 2 })
  })

  it('asks for a place only when the key is new, and stores nothing without one', async () => {
    await begin(ann, '1', 'k')
    const full = () => {
      throw new Error('full')
    }
    const request = { owner: ann, kernel: 'session:1', code: '1', epoch: null, admit: full }
    expect(await runs.begin({ ...request, idempotencyKey: 'k' })).toMatchObject({ kind: 'known' })
    await expect(runs.begin({ ...request, idempotencyKey: 'l' })).rejects.toThrow('full')
    expect(await runs.list(ann, { limit: 10 })).toHaveLength(1)
  })

  it('gives back a run as it ended, with any code and any text', async () => {
    const session = await someSession()
    const code = `"\0\ud800${'x'.repeat(100_000)}"`
    await begin(ann, code)
    await runs.end(ann, 1, session, { ...end, code, error: code, status: 'error', truncated: { stdout: 4 } })
    expect(await runs.find(ann, 1)).toMatchObject({
      status: 'error',
      epoch: 1,
      startedAt: 5,
      names: end.names,
      truncated: { stdout: 4 },
      stdout: 'out',
      stdoutBytes: 3,
    })
    expect(await runs.find(bob, 1)).toBeUndefined()
    const history = await store.db.selectFrom('history').select(['action', 'success']).execute()
    expect(history).toEqual([{ action: expect.stringMatching(/^eval 1: .{0,210}$/), success: 0 }])
  })

  it('lists runs newest first, by pages and by their code', async () => {
    for (const code of ['alpha = 1', 'print(Alpha)', 'per%cent', 'beta']) await begin(ann, code)
    const ids = async (query: object) => (await runs.list(ann, { limit: 2, ...query })).map(({ runId }) => runId)
    expect(await ids({})).toEqual([4, 3])
    expect(await ids({ before: 3 })).toEqual([2, 1])
    expect(await ids({ query: 'ALPHA' })).toEqual([2, 1])
    expect(await ids({ query: '%' })).toEqual([3])
    expect((await runs.newest(ann, 'session:1'))?.runId).toBe(4)
    expect(await runs.newest(ann, 'named:lab')).toBeUndefined()
  })

  it('says of the runs of an instance that is gone what is known of them, and no more', async () => {
    const mine = new RunRecords(store, 'other', () => now)
    await runs.begin({ owner: ann, kernel: 'k', code: '1', idempotencyKey: 'a', epoch: 3 })
    await runs.begin({ owner: ann, kernel: 'k', code: '2', idempotencyKey: 'b', epoch: null })
    await mine.begin({ owner: ann, kernel: 'k', code: '3', idempotencyKey: 'c', epoch: 3 })
    expect([...(await runs.activeInstances())].sort()).toEqual(['here', 'other'])
    await runs.bury('here')
    const [third, second, first] = await runs.list(ann, { limit: 3 })
    expect(first).toMatchObject({ status: 'kernel_died', error: expect.stringMatching(/outcome is unknown/) })
    expect(second).toMatchObject({ status: 'refused', error: expect.stringMatching(/nothing ran/) })
    expect(third).toMatchObject({ status: 'running' })
    expect(await runs.activeInstances()).toEqual(['other'])
  })

  it('replays what was run since the names were last given up', async () => {
    const session = await someSession()
    const ended = async (code: string, status: RunEnd['status']) => {
      const begun = await begin(ann, code)
      if (begun.kind === 'new') await runs.end(ann, begun.runId, session, { ...end, code, status })
    }
    const journal = async () =>
      (await runs.journal(ann, 'session:1', await kernels.journalFrom(ann, 'session:1'))).map(({ code }) => code)
    await open(ann)
    await ended('one', 'ok')
    await ended('two', 'error')
    await open(ann)
    await ended('three', 'ok')
    expect(await journal()).toEqual(['one', 'three'])
    await kernels.forgetJournal(ann, 'session:1')
    await ended('four', 'ok')
    await open(ann)
    expect(await journal()).toEqual(['four'])
  })

  it('knows the processes of other instances until they are buried', async () => {
    await open(ann, 'named:lab')
    const elsewhere = new KernelRecords(store, 'other', () => now)
    expect(await kernels.elsewhere(ann, 'named:lab')).toBeUndefined()
    expect(await elsewhere.elsewhere(ann, 'named:lab')).toMatchObject({ instance: 'here', pid: 11, pidStarted: '7' })
    expect(await elsewhere.openOf('here')).toHaveLength(1)
    await elsewhere.bury('here')
    expect(await elsewhere.openOf('here')).toEqual([])
  })
})
