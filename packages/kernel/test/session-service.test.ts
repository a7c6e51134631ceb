import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RuleView } from '../src/session/module-api.js'
import { changesSince, summarize } from '../src/session/session-summary.js'
import { Stage } from './support/session-stage.js'

let stage: Stage

beforeEach(async () => {
  stage = await Stage.open()
})
afterEach(() => stage[Symbol.asyncDispose]())

describe('the module asks', () => {
  it('for clock, tempo, loop and position', async () => {
    const kernel = await stage.kernel()
    expect(await stage.ask(kernel, 'transport')).toEqual({ state: 'stopped', position: 0, bpm: 120, loop: null })
    expect(await stage.ask(kernel, 'play', { from_beat: 4 })).toMatchObject({ state: 'playing', position: 4 })
    stage.time.advance(1)
    expect(await stage.ask(kernel, 'tempo', { bpm: 60 })).toBe(60)
    expect(await stage.ask(kernel, 'loop', { start: 0, end: 8 })).toMatchObject({ position: 6, loop: [0, 8] })
    stage.time.advance(3)
    expect(await stage.ask(kernel, 'pause')).toMatchObject({ state: 'paused', position: 1 })
    expect(await stage.ask(kernel, 'loop', { start: null })).toMatchObject({ loop: null })
    expect(await stage.ask(kernel, 'stop')).toMatchObject({ state: 'stopped', position: 0 })
  })

  it.each([
    ['play', { from_beat: -1 }, 'ValueError', /from_beat of play must be from 0/],
    ['seek', { beat: Number.NaN }, 'ValueError', /NaN/],
    ['seek', {}, 'TypeError', /seek needs beat/],
    ['seek', { beat: '4' }, 'TypeError', /must be a number, not string/],
    ['seek', { beet: 4 }, 'TypeError', /no parameter beet; it has beat/],
    ['tempo', { bpm: 1000 }, 'ValueError', /from 1 to 999/],
    ['loop', { start: 4, end: 4 }, 'ValueError', /at least 0.25 beats/],
    ['loop', { start: 4 }, 'TypeError', /both start and end/],
    ['marker', { name: '', beat: 1 }, 'ValueError', /must not be empty/],
    ['marker', { name: 'x', beat: 1, metadata: 'x'.repeat(5_000) }, 'ValueError', /4096 bytes/],
    ['rule', { trigger: 'bear:4', action: 'play' }, 'ValueError', /did you mean beat/],
    ['rule', { trigger: 'beat:4', action: 'play', priority: 'urgent' }, 'ValueError', /critical, high/],
    ['rule', { trigger: 'every:1s', action: 'play', lead_s: 1 }, 'ValueError', /lead_s goes with/],
    ['get_rule', { id_or_name: 'none' }, 'NotFoundError', /no rule "none"/],
    ['session', { load: 'none' }, 'NotFoundError', /no session "none"/],
    ['session', { load: 'a', name: 'b' }, 'ValueError', /not both/],
    ['emit', { name: 'two words' }, 'ValueError', /An event name/],
    ['events', { cursor: 'x' }, 'ValueError', /not a cursor/],
  ])('%s(%j): %s', async (method, params, kind, message) => {
    const kernel = await stage.kernel()
    await expect(stage.ask(kernel, method, params)).rejects.toEqual({ kind, message: expect.stringMatching(message) })
  })

  it('for what is not of a session: the request stays open', async () => {
    await expect(stage.ask(await stage.kernel(), 'tool', { name: 'x' })).rejects.toMatchObject({ kind: 'not served' })
  })

  it('to wait for beats across a pause, and withdraws', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'play')
    const reached = stage.ask(kernel, 'until_beat', { beat: 4 })
    const slept = stage.ask(kernel, 'sleep_beats', { n: 6 })
    const withdrawn = new AbortController()
    void stage.ask(kernel, 'until_beat', { beat: 1_000 }, withdrawn.signal)
    await stage.settled()
    withdrawn.abort()
    stage.time.advance(1)
    await stage.ask(kernel, 'pause')
    stage.time.advance(100)
    await stage.ask(kernel, 'play')
    stage.time.advance(1)
    expect(await reached).toBe(4)
    stage.time.advance(1)
    expect(await slept).toBe(6)
  })

  it('to wait for an event: the first that fits, LimitError when time is over', async () => {
    const kernel = await stage.kernel()
    const waiting = stage.ask(kernel, 'wait_event', { pattern: 'job.*', timeout_s: 5 })
    await stage.settled()
    stage.service.publish('agent:bob', 'job.completed', { mine: false })
    stage.service.publish('agent:ann', 'job.failed', { run_id: 3 })
    expect(await waiting).toMatchObject({ type: 'job.failed', data: { run_id: 3 } })
    const inVain = stage.ask(kernel, 'wait_event', { pattern: 'job.*', timeout_s: 5 })
    await stage.settled()
    stage.time.advance(5)
    await expect(inVain).rejects.toMatchObject({ kind: 'LimitError', message: expect.stringContaining('within 5 s') })
  })

  it('for history and notes', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'note', { text: 'a bridge' })
    await stage.ask(kernel, 'note', { text: 'the drop is at 32' })
    expect(await stage.ask(kernel, 'history', { query: 'DROP' })).toMatchObject([
      { action: 'note: the drop is at 32', success: true },
    ])
    expect(await stage.ask(kernel, 'history')).toHaveLength(2)
  })
})

describe('rules', () => {
  it('a callback is handed out ahead with its remaining delay, and its firing is logged', async () => {
    const kernel = await stage.kernel()
    const rule = (await stage.ask(kernel, 'rule', {
      trigger: 'beat:4',
      action: 'call:count',
      name: 'count',
    })) as RuleView
    expect(rule).toMatchObject({ name: 'count', priority: 'normal', status: 'active', fired_count: 0, limit_s: 5 })
    await stage.settled()
    await stage.ask(kernel, 'play', { from_beat: 1 })
    expect(await stage.ask(kernel, 'next_fire', { id: rule.id })).toEqual({ beat: 4, time: null })
    stage.time.advance(1.45)
    expect(kernel.fires).toMatchObject([
      { rule_id: rule.id, code: null, target_beat: 4, count: 1, priority: 2, limit_s: 5, event: null },
    ])
    expect(kernel.fires[0]?.delay_s).toBeCloseTo(0.05)
    await stage.settled()
    stage.time.advance(1)
    expect(await stage.ask(kernel, 'get_rule', { id_or_name: 'count' })).toMatchObject({ fired_count: 1 })
    expect(await stage.ask(kernel, 'rule_log', { id: rule.id })).toMatchObject([
      { target_beat: 4, outcome: 'ok', late_s: 0, detail: null },
    ])
  })

  it('the same name replaces a rule, in the store as well', async () => {
    const kernel = await stage.kernel()
    const first = (await stage.ask(kernel, 'rule', { trigger: 'beat:4', action: 'call:f', name: 'f' })) as RuleView
    await stage.settled()
    const [second, third] = (await Promise.all([
      stage.ask(kernel, 'rule', { trigger: 'beat:2', action: 'call:f', name: 'f' }),
      stage.ask(kernel, 'rule', { trigger: 'beat:2', action: 'emit:x', name: 'g' }),
    ])) as [RuleView, RuleView]
    await stage.settled()
    expect(second.id).toBe(first.id)
    expect(third.id).not.toBe(first.id)
    await stage.settled()
    expect(await stage.ask(kernel, 'rules')).toMatchObject([{ name: 'f', trigger: 'beat:2' }, { name: 'g' }])
    expect(await stage.contents.rules('id-1')).toHaveLength(2)
  })

  it('a disabled rule is listed and does not fire; a removed one never comes back', async () => {
    const kernel = await stage.kernel()
    const rule = (await stage.ask(kernel, 'rule', { trigger: 'beat:1', action: 'emit:x' })) as RuleView
    await stage.settled()
    await stage.ask(kernel, 'set_rule', { id: rule.id, enabled: false })
    await stage.ask(kernel, 'play')
    stage.time.advance(3)
    expect(await stage.ask(kernel, 'rules')).toMatchObject([{ enabled: false, fired_count: 0 }])
    expect(await stage.ask(kernel, 'remove_rule', { id: rule.id })).toBe(true)
    expect(await stage.ask(kernel, 'remove_rule', { id: rule.id })).toBe(false)
    await stage.service.release({ owner: 'agent:ann', key: 'k1' })
    const again = await stage.kernel()
    expect(await stage.ask(again, 'rules', { all: true })).toEqual([])
  })

  it('hear events of the owner with what they carry, and none of others', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'rule', { trigger: 'event:job.*', action: 'call:f', where: { ok: true } })
    await stage.settled()
    stage.service.publish('agent:bob', 'job.completed', { ok: true })
    stage.service.publish('agent:ann', 'job.completed', { ok: false })
    stage.service.publish('agent:ann', 'job.completed', { ok: true, run_id: 7 })
    expect(kernel.fires).toMatchObject([{ event: { type: 'job.completed', data: { ok: true, run_id: 7 } } }])
  })

  it('emit, notify and the transport tell of themselves; a ring of rules ends', async () => {
    const kernel = await stage.kernel()
    const cursor = stage.events.newest('agent:ann')
    await stage.ask(kernel, 'rule', { trigger: 'event:ping', action: 'emit:pong', name: 'a' })
    await stage.ask(kernel, 'rule', { trigger: 'event:pong', action: 'emit:ping', name: 'b' })
    await stage.ask(kernel, 'rule', { trigger: 'event:transport.changed', action: 'notify:moved', name: 'c' })
    await stage.settled()
    await stage.ask(kernel, 'emit', { name: 'ping' })
    await stage.ask(kernel, 'seek', { beat: 3 })
    const types = stage.events.read('agent:ann', { cursor, limit: 100 }).events.map(({ type }) => type)
    expect(types.filter((type) => type === 'pong' || type === 'ping')).toHaveLength(9)
    expect(types.slice(-2)).toEqual(['transport.changed', 'notify'])
    expect(kernel.notices).toEqual(['c: moved'])
  })

  it('an idle rule waits for the end of the cell', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'rule', { trigger: 'beat:1', action: 'call:f', priority: 'idle' })
    await stage.settled()
    stage.service.cellStarted({ owner: 'agent:ann', key: 'k1' })
    await stage.ask(kernel, 'play')
    stage.time.advance(2.2)
    expect(kernel.fires).toEqual([])
    stage.service.cellEnded({ owner: 'agent:ann', key: 'k1' })
    expect(kernel.fires).toMatchObject([{ target_beat: 4, priority: 4 }])
  })

  it('the end of the process unbinds functions; data rules go on', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'rule', { trigger: 'beat:1', action: 'call:f', name: 'f' })
    await stage.ask(kernel, 'rule', { trigger: 'beat:1', action: 'emit:x', name: 'x' })
    await stage.settled()
    kernel.hasProcess = false
    stage.service.kernelEnded({ owner: 'agent:ann', key: 'k1' })
    await stage.ask(kernel, 'play')
    stage.time.advance(1.2)
    expect(await stage.ask(kernel, 'rules')).toMatchObject([
      { status: 'unbound', fired_count: 0 },
      { status: 'active', fired_count: 3 },
    ])
    expect(kernel.fires).toEqual([])
    const next = await stage.kernel()
    await stage.ask(next, 'rule', { trigger: 'beat:1', action: 'call:f', name: 'f' })
    await stage.settled()
    stage.time.advance(0.5)
    expect(next.fires).toHaveLength(1)
  })
})

describe('sessions', () => {
  it('switching pauses clock and rules, and coming back finds functions of the same process', async () => {
    const kernel = await stage.kernel()
    const first = (await stage.ask(kernel, 'session', { vibe: 'dusk' })) as { id: string }
    await stage.ask(kernel, 'rule', { trigger: 'every:1s', action: 'call:f', name: 'f' })
    await stage.settled()
    await stage.ask(kernel, 'play')
    stage.time.advance(1)
    await stage.settled()
    const waiting = stage.ask(kernel, 'until_beat', { beat: 100 })
    await stage.settled()
    expect(await stage.ask(kernel, 'session', { name: 'other' })).toMatchObject({ name: 'other', vibe: null })
    await expect(waiting).rejects.toMatchObject({ kind: 'VibeError' })
    stage.time.advance(10)
    expect(kernel.fires).toHaveLength(1)
    expect(await stage.ask(kernel, 'session', { load: first.id })).toMatchObject({ name: 'untitled', vibe: 'dusk' })
    expect(await stage.ask(kernel, 'transport')).toMatchObject({ state: 'paused', position: 2 })
    expect(await stage.ask(kernel, 'rules')).toMatchObject([{ status: 'active' }])
    stage.time.advance(1)
    expect(kernel.fires).toHaveLength(2)
    expect(await stage.ask(kernel, 'sessions')).toMatchObject([
      { name: 'untitled', current: true },
      { name: 'other', current: false },
    ])
  })

  it('a session that another kernel holds is busy, and the old one plays on', async () => {
    const kernel = await stage.kernel()
    const other = await stage.kernel('k2')
    const { id } = (await stage.ask(other, 'session')) as { id: string }
    await stage.ask(kernel, 'play')
    await expect(stage.ask(kernel, 'session', { load: id })).rejects.toMatchObject({ kind: 'SessionBusyError' })
    expect(await stage.ask(kernel, 'transport')).toMatchObject({ state: 'playing' })
    await stage.service.release({ owner: 'agent:ann', key: 'k2' })
    expect(await stage.ask(kernel, 'session', { load: id })).toMatchObject({ id })
  })

  it('after a crash of the worker: paused where it was saved, functions unbound, overdue `after` once and late, `every` skips', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'rule', { trigger: 'beat:4', action: 'call:f', name: 'f' })
    await stage.ask(kernel, 'rule', { trigger: 'after:30s', action: 'emit:soon', name: 'soon' })
    await stage.ask(kernel, 'rule', { trigger: 'every:7s', action: 'emit:tock', name: 'tock' })
    await stage.ask(kernel, 'rule', { trigger: 'at:64', action: 'emit:there', name: 'there' })
    await stage.settled()
    await stage.ask(kernel, 'play')
    stage.time.advance(5)
    await stage.ask(kernel, 'note', { text: 'written after the save' })
    const next = stage.successor()
    stage.time.ms += 60_000
    await next.records.releaseInstance('one')
    const port = await next.kernel()
    expect(await next.ask(port, 'transport')).toMatchObject({ state: 'paused', position: 10 })
    const rules = (await next.ask(port, 'rules', { all: true })) as RuleView[]
    expect(rules.map(({ name, status, fired_count }) => [name, status, fired_count])).toEqual([
      ['f', 'unbound', 2],
      ['soon', 'done', 1],
      ['tock', 'active', 0],
      ['there', 'active', 0],
    ])
    expect(await next.ask(port, 'rule_log', { id: rules[1]!.id })).toMatchObject([{ outcome: 'ok', late_s: 35 }])
    await next.service.close()
  })

  it('clearing leaves id and name', async () => {
    const kernel = await stage.kernel()
    const { id } = (await stage.ask(kernel, 'session', { vibe: 'x' })) as { id: string }
    const { id: rule } = (await stage.ask(kernel, 'rule', { trigger: 'beat:1', action: 'call:f' })) as RuleView
    await stage.ask(kernel, 'marker', { name: 'drop', beat: 4 })
    await stage.settled()
    await stage.ask(kernel, 'play')
    await stage.service.clearSession(kernel)
    expect(await stage.ask(kernel, 'session')).toEqual({ id, name: 'untitled', vibe: null, tempo_bpm: 120 })
    expect(await stage.ask(kernel, 'rules', { all: true })).toEqual([])
    expect(await stage.ask(kernel, 'markers')).toEqual([])
    expect(await stage.ask(kernel, 'transport')).toMatchObject({ state: 'stopped', position: 0 })
    expect(kernel.told.at(-1)).toEqual({ method: 'forget_rules', params: { ids: [rule] } })
  })

  it('closing leaves no timer behind and nothing unwritten', async () => {
    const kernel = await stage.kernel()
    await stage.ask(kernel, 'rule', { trigger: 'beat:1', action: 'emit:x', name: 'x' })
    await stage.settled()
    await stage.ask(kernel, 'play')
    stage.time.advance(1.6)
    await stage.service.close()
    expect(stage.time.pending).toBe(0)
    expect(await stage.contents.rules('id-1')).toMatchObject([{ fired_count: 4 }])
    expect(await stage.records.readable('agent:ann', 'id-1')).toMatchObject({
      heldBy: null,
      transport: { state: 'paused', beat: 3.2 },
    })
    expect(stage.failures).toEqual([])
  })
})

describe('the summary', () => {
  it('is the same from memory and from the store, with totals', async () => {
    const kernel = await stage.kernel()
    for (let index = 0; index < 40; index += 1) {
      await stage.ask(kernel, 'rule', { trigger: `at:${index}`, action: `eval:${'é'.repeat(300)}`, name: `r${index}` })
      await stage.ask(kernel, 'marker', { name: `${index} ${'é'.repeat(60)}`, beat: index })
      await stage.ask(kernel, 'note', { text: 'é'.repeat(900) })
    }
    await stage.settled()
    await stage.ask(kernel, 'seek', { beat: 16 })
    const read = async (live: boolean) => {
      const record = (await stage.records.held('agent:ann', 'k1'))!
      return summarize(record, live ? stage.service.live(record.id) : undefined, stage.contents, stage.time.clocks)
    }
    const summary = await read(true)
    expect(summary).toMatchObject({ rules_total: 40, markers_total: 40, current_beat: 16, transport_state: 'stopped' })
    expect(summary.recent_history).toHaveLength(10)
    expect(await read(false)).toEqual(summary)
  })

  it('with a cursor: says which parts are as they were', () => {
    const { cursor } = changesSince({ markers: [1], rules: [] }, null)
    expect(changesSince({ markers: [1], rules: [2] }, cursor).unchanged).toEqual(['markers'])
    expect(changesSince({ markers: [1], rules: [2] }, 'nonsense').unchanged).toEqual([])
  })
})
