import { openStore, type Store } from '@callboard/store'
import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ruleLogKeptMax } from '../src/limits.js'
import { type KernelSchema, migrations } from '../src/records/schema.js'
import { type RuleRow, SessionContents } from '../src/records/session-contents.js'
import { holderOf, SessionRecords } from '../src/records/session-records.js'

const ann = 'agent:ann'
const bob = 'agent:bob'

describeBothDatabases('session records', (database) => {
  let store: Store<KernelSchema>
  let now: number
  let ids: number

  beforeEach(async () => {
    now = 1_000
    ids = 0
    const location = await database.create()
    store = await openStore<KernelSchema>({
      name: 'kernel',
      migrations,
      ...location,
      durability: 'normal',
      access: 'shared',
    })
  })
  afterEach(() => store.close())

  const recordsOf = (instance = 'one') =>
    new SessionRecords(store, { instance, now: () => now++, newId: () => `session-${++ids}` })
  const contents = () => new SessionContents(store, () => now++)

  const rule = (session_id: string, over: Partial<RuleRow> = {}): RuleRow => ({
    id: 'rule-1',
    session_id,
    name: 'a',
    trigger: 'beat:4',
    action: 'call:f',
    source: 'def f(): …',
    priority: 2,
    enabled: 1,
    status: 'active',
    max_fires: null,
    cooldown_s: 0,
    lead_s: 0.5,
    max_late_s: null,
    limit_s: 5,
    event_filter: null,
    fired_count: 0,
    suppressed_count: 0,
    missed_count: 0,
    error_count: 0,
    last_fired_at: null,
    last_error: null,
    due_at: null,
    created_at: 1,
    ...over,
  })

  it('give a kernel one session, also when it asks twice at once', async () => {
    const records = recordsOf()
    const [first, second] = await Promise.all([records.current(ann, 'k1'), records.current(ann, 'k1')])
    expect(first).toEqual(second)
    expect(first).toMatchObject({ name: 'untitled', vibe: null, shared: false, heldBy: holderOf(ann, 'k1') })
    expect(await records.current(ann, 'k2')).toMatchObject({ name: 'untitled 2' })
    expect(await records.current(bob, 'k3')).toMatchObject({ name: 'untitled' })
  })

  it('give a kernel back the session that it had last, else the newest that is free', async () => {
    const records = recordsOf()
    const first = await records.current(ann, 'k1')
    const second = await records.current(ann, 'k2')
    await records.release(ann, 'k1')
    await records.release(ann, 'k2')
    expect((await records.current(ann, 'k1')).id).toBe(first.id)
    expect((await records.current(ann, 'k3')).id).toBe(second.id)
    expect((await records.current(bob, 'k4')).owner).toBe(bob)
  })

  it('tell kernels of different owners apart, whatever their keys', async () => {
    const records = recordsOf()
    const mine = await records.current(ann, 'named:main')
    const other = await records.current(bob, 'named:main')
    expect(other.id).not.toBe(mine.id)
    await records.release(bob, 'named:main')
    expect((await records.held(ann, 'named:main'))?.id).toBe(mine.id)
    expect(await records.held(bob, 'named:main')).toBeUndefined()
  })

  it('switch by name: own, else new; the old one is free', async () => {
    const records = recordsOf()
    const first = await records.current(ann, 'k1')
    const demo = await records.switchToName(ann, 'k1', 'demo')
    expect(demo).toMatchObject({ name: 'demo', heldBy: holderOf(ann, 'k1') })
    expect((await records.readable(ann, first.id))?.heldBy).toBeNull()
    expect((await records.switchToName(ann, 'k1', 'untitled')).id).toBe(first.id)
    expect((await records.switchToName(bob, 'k9', 'demo')).id).not.toBe(demo.id)
  })

  it('one kernel holds a session at a time: SessionBusyError, and the kernel keeps what it had', async () => {
    const records = recordsOf()
    const mine = await records.current(ann, 'k1')
    const other = await records.current(ann, 'k2')
    await expect(records.switchToId(ann, 'k1', other.id)).rejects.toMatchObject({ kind: 'SessionBusyError' })
    expect((await records.held(ann, 'k1'))?.id).toBe(mine.id)
  })

  it('another owner reads a session only when it is shared, and loads it only when it is free as well', async () => {
    const records = recordsOf()
    const { id } = await records.current(ann, 'k1')
    expect(await records.readable(bob, id)).toBeUndefined()
    await expect(records.switchToId(bob, 'k2', id)).rejects.toMatchObject({ kind: 'NotFoundError' })
    await records.describe(id, { shared: true, vibe: 'dusk' })
    expect(await records.readable(bob, id)).toMatchObject({ vibe: 'dusk', shared: true })
    await expect(records.switchToId(bob, 'k2', id)).rejects.toMatchObject({ kind: 'SessionBusyError' })
    await records.release(ann, 'k1')
    expect(await records.switchToId(bob, 'k2', id)).toMatchObject({ owner: ann, heldBy: holderOf(bob, 'k2') })
    expect((await records.held(bob, 'k2'))?.id).toBe(id)
    expect((await records.list(bob)).map((session) => session.id)).toContain(id)
  })

  it('of a dead instance: free, paused at the last saved beat, functions unbound, data rules active', async () => {
    const { id } = await recordsOf('dead').current(ann, 'k1')
    const other = await recordsOf('alive').current(bob, 'k2')
    for (const session of [id, other.id]) {
      await recordsOf().saveTransport(session, {
        state: 'playing',
        beat: 12.5,
        at: 900,
        bpm: 96,
        loop: { start: 0, end: 16 },
      })
    }
    await contents().setRule(rule(id))
    await contents().setRule(rule(id, { id: 'rule-2', name: 'b', action: 'emit:x', due_at: 5_000 }))
    await recordsOf('alive').releaseInstance('dead')
    expect(await recordsOf().readable(ann, id)).toMatchObject({
      heldBy: null,
      transport: { state: 'paused', beat: 12.5, at: null, bpm: 96, loop: { start: 0, end: 16 } },
    })
    expect((await contents().rules(id)).map(({ status }) => status)).toEqual(['unbound', 'active'])
    expect(await recordsOf().readable(bob, other.id)).toMatchObject({
      heldBy: holderOf(bob, 'k2'),
      transport: { state: 'playing', at: 900 },
    })
    expect((await recordsOf().current(ann, 'k1')).id).toBe(id)
  })

  it('clear all that a session keeps but its id, name and holder', async () => {
    const records = recordsOf()
    const { id } = await records.current(ann, 'k1')
    await records.describe(id, { vibe: 'dusk' })
    await records.saveTransport(id, { state: 'paused', beat: 8, at: null, bpm: 96, loop: null })
    await contents().setRule(rule(id))
    await contents().setMarker(id, { name: 'drop', beat: 32, metadata: { energy: 1 } })
    await contents().addHistory(id, { action: 'eval', params: {}, result: null, success: true })
    await records.clear(id)
    expect(await records.held(ann, 'k1')).toMatchObject({
      id,
      name: 'untitled',
      vibe: null,
      transport: { state: 'stopped', beat: 0, bpm: 120 },
    })
    expect(await contents().rules(id)).toEqual([])
    expect(await contents().markers(id)).toEqual([])
    expect(await contents().history(id, 10)).toEqual([])
  })

  it('insert a marker or move it, and list by beat', async () => {
    const { id } = await recordsOf().current(ann, 'k1')
    await contents().setMarker(id, { name: 'drop', beat: 32, metadata: { energy: 1 } })
    await contents().setMarker(id, { name: 'intro', beat: 0, metadata: null })
    await contents().setMarker(id, { name: 'drop', beat: 64, metadata: null })
    expect(await contents().markers(id)).toEqual([
      { name: 'intro', beat: 0, metadata: null },
      { name: 'drop', beat: 64, metadata: null },
    ])
    await contents().removeMarker(id, 'drop')
    expect(await contents().markers(id)).toHaveLength(1)
  })

  it('keep the newest log rows of a rule; what comes for a removed rule is dropped, and it stays removed', async () => {
    const { id } = await recordsOf().current(ann, 'k1')
    const row = (index: number) => ({
      rule_id: 'rule-1',
      target_beat: index,
      fired_at: index,
      late_s: 0,
      outcome: 'ok',
      detail: 'a\0b',
    })
    await contents().setRule(rule(id))
    const rows = Array.from({ length: ruleLogKeptMax + 10 }, (_, index) => row(index))
    await contents().saveRules([rule(id, { fired_count: 9 })], rows)
    expect((await contents().ruleLog('rule-1', 1_000)).map(({ target_beat }) => target_beat)).toEqual(
      rows
        .map(({ target_beat }) => target_beat)
        .reverse()
        .slice(0, ruleLogKeptMax),
    )
    expect((await contents().rules(id))[0]).toMatchObject({ fired_count: 9, lead_s: 0.5 })
    await contents().removeRule('rule-1')
    await contents().saveRules([rule(id)], [row(1)])
    expect(await contents().rules(id)).toEqual([])
    expect(await contents().ruleLog('rule-1', 10)).toEqual([])
  })

  it('find history by what an action contains, newest first', async () => {
    const { id } = await recordsOf().current(ann, 'k1')
    for (const action of ['eval 1: Import numpy', 'note: 100% done', 'eval 2: x']) {
      await contents().addHistory(id, { action, params: { a: '\ud800\0' }, result: 'ok', success: true })
    }
    expect((await contents().history(id, 2)).map(({ action }) => action)).toEqual(['eval 2: x', 'note: 100% done'])
    expect((await contents().history(id, 5, 'import')).map(({ action }) => action)).toEqual(['eval 1: Import numpy'])
    expect(await contents().history(id, 5, '%x')).toEqual([])
  })
})
