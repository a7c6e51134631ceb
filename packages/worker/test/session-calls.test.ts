import { describe, expect, test } from 'vitest'
import { encodeJson } from '../src/json-body.js'
import { answeredMax, waitingMax } from '../src/limits.js'
import { epochB, Scenario } from './scenario.js'

function signedIn(options: ConstructorParameters<typeof Scenario>[0] = {}): Scenario {
  const scenario = new Scenario(options)
  scenario.signIn()
  scenario.clear()
  return scenario
}

describe('a REQUEST', () => {
  test('starts its handler and gets one final RESPONSE', () => {
    const scenario = signedIn()
    const id = scenario.request()
    expect(scenario.started()).toEqual([id])
    scenario.settle(id)
    scenario.settle(id)
    expect(scenario.sent('response')).toEqual([
      { type: 'response', id, outcome: 'result', body: encodeJson({ content: [] }) },
    ])
    scenario.expectQuiet()
  })

  test('is answered with isError and with errors as the handler has it', () => {
    const scenario = signedIn()
    const [failing, broken] = [scenario.request(), scenario.request()]
    const body = encodeJson({})
    scenario.step({ type: 'handler_settled', id: failing, result: { outcome: 'result', isError: true, body } })
    scenario.step({ type: 'handler_settled', id: broken, result: { outcome: 'error', body } })
    expect(scenario.sent('response')).toEqual([
      { type: 'response', id: failing, outcome: 'result', isError: true, body },
      { type: 'response', id: broken, outcome: 'error', body },
    ])
  })

  test('is not started before WELCOME', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    const id = scenario.request()
    expect(scenario.responses()).toEqual([`${id} not_signed_in`])
  })

  test('of another epoch is not started', () => {
    const scenario = signedIn()
    const ids = [scenario.request({ epoch: epochB }), scenario.request({ id: 'noepoch' })]
    expect(scenario.responses()).toEqual(ids.map((id) => `${id} foreign_epoch`))
  })

  test('past its deadline by the clock of the hub is not started', () => {
    const scenario = signedIn({ offset: -30_000 })
    const late = scenario.request({ deadline: scenario.hubNow })
    const early = scenario.request({ deadline: scenario.hubNow + 1 })
    expect(scenario.responses()).toEqual([`${late} expired`])
    expect(scenario.started()).toEqual([early])
  })

  test('beyond the credits of its depth is not started', () => {
    const scenario = signedIn({ concurrency: 2 })
    const [first] = [scenario.request(), scenario.request()]
    const third = scenario.request()
    scenario.request({ depth: 1 })
    expect(scenario.responses()).toEqual([`${third} over_credit`])
    expect(scenario.started()).toHaveLength(3)
    scenario.settle(first)
    scenario.request()
    expect(scenario.started()).toHaveLength(4)
  })

  test('that was not started may come again [CB-34]', () => {
    const scenario = signedIn({ concurrency: 1 })
    const first = scenario.request()
    const second = scenario.request()
    scenario.settle(first)
    scenario.request({ id: second })
    expect(scenario.started()).toEqual([first, second])
  })

  test('doubled while held, or after its answer, is ignored [CB-34]', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.request({ id })
    scenario.settle(id)
    scenario.request({ id })
    expect(scenario.started()).toEqual([id])
    expect(scenario.responses()).toEqual([`${id} result`])
  })

  test('that was answered in an earlier sign-in starts afresh [CB-34]', () => {
    const scenario = signedIn()
    const [answered, reported] = [scenario.request(), scenario.request()]
    scenario.settle(answered)
    scenario.step({ type: 'link_lost' })
    scenario.signIn()
    scenario.request({ id: reported })
    expect(scenario.started()).toEqual([answered, reported])
    scenario.settle(reported)
    for (const id of [answered, reported]) scenario.request({ id })
    expect(scenario.started()).toEqual([answered, reported, answered, reported])
  })

  test('is remembered as answered for a bounded number of calls only', () => {
    const scenario = signedIn()
    const first = scenario.request()
    scenario.settle(first)
    for (let i = 0; i < answeredMax; i++) scenario.settle(scenario.request())
    scenario.clear()
    scenario.request({ id: first })
    expect(scenario.started()).toEqual([first])
  })
})

describe('ending a call early', () => {
  test('CANCEL aborts the handler, once, with its reason; the RESPONSE still follows', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.deliver({ type: 'cancel', id, reason: 'cancelled' })
    scenario.deliver({ type: 'cancel', id, reason: 'disconnected' })
    scenario.deliver({ type: 'cancel', id: 'unknown', reason: 'cancelled' })
    expect(scenario.aborted()).toEqual([`${id} cancelled`])
    expect(scenario.responses()).toEqual([])
    scenario.settle(id)
    expect(scenario.responses()).toEqual([`${id} result`])
  })

  test('a cancelled call keeps its credit until it has settled', () => {
    const scenario = signedIn({ concurrency: 1 })
    scenario.deliver({ type: 'cancel', id: scenario.request(), reason: 'cancelled' })
    const next = scenario.request()
    expect(scenario.responses()).toEqual([`${next} over_credit`])
  })

  test('the worker aborts at the deadline itself, by the clock of the hub [CB-71]', () => {
    const scenario = signedIn({ offset: 7_000 })
    const id = scenario.request({ deadline: scenario.hubNow + 2_500 })
    expect(scenario.session.deadlineOf(id)).toBe(scenario.now + 2_500)
    scenario.advance(2_499)
    expect(scenario.aborted()).toEqual([])
    scenario.advance(1)
    expect(scenario.aborted()).toEqual([`${id} deadline_exceeded`])
    scenario.advance(5_000)
    expect(scenario.aborted()).toHaveLength(1)
  })
})

describe('by the way', () => {
  test('PROGRESS goes to a client that wants it, while the call runs', () => {
    const scenario = signedIn()
    const deaf = { generation: 'modern', input: [], progress: false } as const
    const [heard, unheard] = [scenario.request(), scenario.request({ client: deaf })]
    const body = encodeJson({ progress: 1 })
    for (const id of [heard, unheard, 'unknown']) scenario.step({ type: 'handler_progress', id, body })
    expect(scenario.sent('progress')).toEqual([{ type: 'progress', id: heard, body }])
    scenario.deliver({ type: 'cancel', id: heard, reason: 'cancelled' })
    scenario.step({ type: 'handler_progress', id: heard, body })
    expect(scenario.sent('progress')).toHaveLength(1)
  })

  test('LOG goes out from the level on that the client named', () => {
    const scenario = signedIn()
    const quiet = { generation: 'modern', input: [], progress: false } as const
    const [id, mute] = [scenario.request(), scenario.request({ client: quiet })]
    const body = encodeJson({ data: 'x' })
    for (const level of ['debug', 'info', 'error'] as const) scenario.step({ type: 'handler_logged', id, level, body })
    scenario.step({ type: 'handler_logged', id: mute, level: 'emergency', body })
    expect(scenario.sent('log').map(({ level }) => level)).toEqual(['info', 'error'])
  })

  test("a worker's own kinds of message are ignored", () => {
    const scenario = signedIn()
    expect(scenario.step({ type: 'message', message: { type: 'hello', versions: [1, 1] } })).toEqual([])
  })
})

describe('after a gap of the event loop', () => {
  test('nothing that was buffered starts until an echo that was asked for after the gap [CB-72]', () => {
    const scenario = signedIn({ echoes: false })
    scenario.freeze(5_000)
    const waits = scenario.request()
    const expired = scenario.request({ deadline: scenario.hubNow - 1 })
    scenario.request({ id: waits })
    expect(scenario.started()).toEqual([])
    expect(scenario.responses()).toEqual([])
    // The echo of a heartbeat from before the gap proves nothing.
    scenario.echo({ serial: 0, sentAt: scenario.now - 5_000 })
    expect(scenario.started()).toEqual([])
    expect(scenario.session.nextDeadline()).toBeLessThanOrEqual(scenario.now)
    scenario.advance(0)
    const beat = scenario.sent('heartbeat').at(-1)!
    scenario.echo(beat)
    expect(scenario.started()).toEqual([waits])
    expect(scenario.responses()).toEqual([`${expired} expired`])
    expect(scenario.request()).toBe(scenario.started().at(-1))
    expect(scenario.session.pending.requests).toBe(0)
  })

  test('no shorter pause is a gap [CB-72]', () => {
    const scenario = signedIn()
    scenario.freeze(1_000)
    scenario.request()
    expect(scenario.started()).toHaveLength(1)
  })

  test('idle time is none either', () => {
    const scenario = signedIn()
    scenario.advance(60_000)
    scenario.request()
    expect(scenario.started()).toHaveLength(1)
  })

  test('the credits hold for what waited', () => {
    const scenario = signedIn({ concurrency: 1 })
    scenario.freeze(5_000)
    const [first, second] = [scenario.request(), scenario.request()]
    scenario.advance(0)
    expect(scenario.started()).toEqual([first])
    expect(scenario.responses()).toEqual([`${second} over_credit`])
  })

  test('what waited is dropped when the hub turns out to be gone', () => {
    const scenario = signedIn({ echoes: false })
    scenario.freeze(5_000)
    scenario.request()
    scenario.step({ type: 'link_lost' })
    expect(scenario.session.pending.requests).toBe(0)
    scenario.echoes = true
    scenario.signIn()
    expect(scenario.started()).toEqual([])
    expect(scenario.responses()).toEqual([])
    scenario.request()
    expect(scenario.started()).toHaveLength(1)
  })

  test('a gap between READY and WELCOME counts as well', () => {
    const scenario = new Scenario({ echoes: false })
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.freeze(5_000)
    const body = encodeJson({ refused: [] })
    scenario.deliver({ type: 'welcome', epoch: 'hubepoch0a', now: scenario.hubNow, trusted: true, body })
    scenario.request()
    expect(scenario.started()).toEqual([])
  })

  test('a cancelled one is answered as never started', () => {
    const scenario = signedIn({ echoes: false })
    scenario.freeze(5_000)
    const id = scenario.request()
    scenario.deliver({ type: 'cancel', id, reason: 'cancelled' })
    expect(scenario.responses()).toEqual([`${id} stale`])
    expect(scenario.session.pending.requests).toBe(0)
  })

  test('a drain refuses what waited', () => {
    const scenario = signedIn({ echoes: false })
    scenario.freeze(5_000)
    const id = scenario.request()
    scenario.step({ type: 'drain' })
    expect(scenario.responses()).toEqual([`${id} draining`])
  })

  test('a sign-in that began after the gap leaves no doubt', () => {
    const scenario = signedIn({ echoes: false })
    scenario.freeze(5_000)
    scenario.step({ type: 'link_lost' })
    scenario.signIn()
    scenario.request()
    expect(scenario.started()).toHaveLength(1)
  })

  test('the list of what waits is bounded, and a double of what waits is ignored all the same', () => {
    const scenario = signedIn({ echoes: false })
    scenario.freeze(5_000)
    const first = scenario.request()
    for (let n = 1; n < waitingMax; n++) scenario.request()
    scenario.request({ id: first })
    expect(scenario.responses()).toEqual([])
    const tooMany = scenario.request()
    expect(scenario.responses()).toEqual([`${tooMany} stale`])
  })

  test('running calls are not aborted by a clock that jumped before the fresh echo decides [CB-72]', () => {
    const scenario = signedIn()
    scenario.echoes = false
    const id = scenario.request({ deadline: scenario.hubNow + 2_000 })
    // The worker's clock was set 10 s ahead; the hub's shows that no time has passed.
    const hubNow = scenario.hubNow
    scenario.freeze(10_000)
    scenario.advance(0)
    expect(scenario.aborted()).toEqual([])
    const { serial, sentAt } = scenario.sent('heartbeat').at(-1)!
    scenario.deliver({ type: 'heartbeat_echo', serial, sentAt, now: hubNow })
    scenario.advance(1_000)
    expect(scenario.aborted()).toEqual([])
    scenario.advance(1_000)
    expect(scenario.aborted()).toEqual([`${id} deadline_exceeded`])
  })
})
