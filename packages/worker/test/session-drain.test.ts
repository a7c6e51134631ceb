import { describe, expect, test } from 'vitest'
import type { InputQuestion } from '../src/index.js'
import { encodeJson } from '../src/json-body.js'
import { abortGraceMs, byeWaitMs, drainAcknowledgeMs } from '../src/limits.js'
import { epochA, epochB, Scenario } from './scenario.js'

function signedIn(options: ConstructorParameters<typeof Scenario>[0] = {}): Scenario {
  const scenario = new Scenario(options)
  scenario.signIn()
  scenario.clear()
  return scenario
}

const acknowledge = { type: 'drain', epoch: epochA, drainMs: 5_000, acknowledged: true } as const
const bye = { type: 'bye', epoch: epochA } as const

describe('a drain that the worker wants', () => {
  test('finishes what is held, refuses the rest, and leaves after the BYE of the hub', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.step({ type: 'drain' })
    scenario.step({ type: 'drain' })
    expect(scenario.sent('drain')).toEqual([{ type: 'drain', epoch: epochA, drainMs: 5_000, acknowledged: false }])
    expect(scenario.done('draining')).toHaveLength(1)
    expect(scenario.session.state).toBe('draining')
    const refused = scenario.request()
    scenario.deliver(acknowledge)
    scenario.advance(4_000)
    expect(scenario.sent('bye')).toEqual([])
    scenario.settle(id)
    expect(scenario.responses()).toEqual([`${refused} draining`, `${id} result`])
    expect(scenario.effects.at(-1)).toEqual({ type: 'send', message: bye })
    expect(scenario.done('closed')).toEqual([])
    scenario.deliver(bye)
    expect(scenario.done('closed')).toHaveLength(1)
    expect(scenario.session.state).toBe('closed')
    scenario.expectQuiet()
  })

  test('says BYE only when no request can be on its way any more', () => {
    const scenario = signedIn()
    scenario.step({ type: 'drain' })
    expect(scenario.sent('bye')).toEqual([])
    const crossed = scenario.request()
    expect(scenario.responses()).toEqual([`${crossed} draining`])
    scenario.deliver(acknowledge)
    expect(scenario.sent('bye')).toHaveLength(1)
  })

  test('does not wait for ever for a hub that says nothing', () => {
    const scenario = signedIn()
    scenario.step({ type: 'drain' })
    scenario.advance(drainAcknowledgeMs - 1)
    expect(scenario.sent('bye')).toEqual([])
    scenario.advance(1)
    expect(scenario.sent('bye')).toHaveLength(1)
    scenario.advance(byeWaitMs - 1)
    expect(scenario.session.state).toBe('draining')
    scenario.advance(1)
    expect(scenario.session.state).toBe('closed')
  })

  test('aborts at the end of its time, suspended calls too, and waits a moment for them', () => {
    const scenario = signedIn()
    const [running, suspended] = [scenario.request(), scenario.request()]
    const question: InputQuestion = { method: 'roots/list', params: {} }
    scenario.step({ type: 'input_asked', id: suspended, questions: { a: question } })
    scenario.step({ type: 'drain' })
    scenario.deliver(acknowledge)
    scenario.advance(4_999)
    expect(scenario.aborted()).toEqual([])
    scenario.advance(1)
    expect(scenario.aborted()).toEqual([`${running} draining`, `${suspended} draining`])
    scenario.settle(suspended)
    expect(scenario.sent('bye')).toEqual([])
    scenario.advance(abortGraceMs)
    expect(scenario.responses()).toEqual([`${suspended} result`])
    expect(scenario.sent('bye')).toHaveLength(1)
  })

  test('lets calls that are held make calls of their own', () => {
    const scenario = signedIn()
    const parent = scenario.request()
    scenario.step({ type: 'drain' })
    const call = {
      id: 'c1',
      method: 'tools/call',
      name: 'x',
      on: { parent },
      progress: false,
      body: encodeJson({}),
    } as const
    scenario.step({ type: 'call_started', call })
    expect(scenario.sent('call')).toHaveLength(1)
  })

  test('without a hub is over at once', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.step({ type: 'drain' })
    expect(scenario.effects.map(({ type }) => type)).toEqual(['send', 'draining', 'closed'])
  })

  test('without a hub waits a moment for handlers that clean up', () => {
    const scenario = signedIn()
    scenario.request()
    scenario.step({ type: 'link_lost' })
    scenario.step({ type: 'drain' })
    scenario.advance(abortGraceMs - 1)
    expect(scenario.session.state).toBe('draining')
    scenario.advance(1)
    expect(scenario.session.state).toBe('closed')
    expect(scenario.sent('hello')).toEqual([])
  })

  test('in the middle of a sign-in goes through WELCOME, for the hub may send calls at once', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.step({ type: 'drain' })
    expect(scenario.session.state).toBe('draining')
    const body = encodeJson({ refused: [] })
    scenario.deliver({ type: 'welcome', epoch: epochA, now: scenario.hubNow, trusted: true, body })
    expect(scenario.sent('drain')).toHaveLength(1)
    const id = scenario.request()
    expect(scenario.responses()).toEqual([`${id} draining`])
  })

  test('in the middle of a sign-in that nobody answers ends', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.step({ type: 'drain' })
    scenario.advance(5_000)
    expect(scenario.session.state).toBe('closed')
    expect(scenario.sent('hello')).toHaveLength(1)
  })

  test('goes on when the link is lost or the hub refuses in the middle of it', () => {
    for (const breakIt of [
      { type: 'link_lost' },
      { type: 'message', message: { type: 'reject', code: 'protocol_error', message: 'no' } },
    ] as const) {
      const scenario = signedIn()
      const id = scenario.request()
      scenario.step({ type: 'drain' })
      scenario.step(breakIt)
      expect(scenario.aborted()).toEqual([`${id} link_lost`])
      scenario.settle(id)
      scenario.advance(1_000)
      expect(scenario.session.state).toBe('closed')
      expect(scenario.done('fatal')).toEqual([])
      expect(scenario.sent('hello')).toEqual([])
    }
  })
})

describe('a drain that the hub wants', () => {
  test('is acknowledged and goes the same way, for the time that the hub gives', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.deliver({ type: 'drain', epoch: epochA, drainMs: 1_500, acknowledged: false })
    expect(scenario.sent('drain').map(({ acknowledged }) => acknowledged)).toEqual([true])
    scenario.advance(1_500)
    expect(scenario.aborted()).toEqual([`${id} draining`])
    scenario.settle(id)
    expect(scenario.sent('bye')).toHaveLength(1)
  })

  test('with nothing held says BYE at once', () => {
    const scenario = signedIn()
    scenario.deliver({ type: 'drain', epoch: epochA, drainMs: 1_500, acknowledged: false })
    expect(scenario.sent('bye')).toHaveLength(1)
  })

  test('of another epoch is not for this worker', () => {
    const scenario = signedIn()
    scenario.deliver({ type: 'drain', epoch: epochB, drainMs: 1_500, acknowledged: false })
    expect(scenario.session.state).toBe('ready')
  })

  test('during its own: the shorter time holds', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.step({ type: 'drain' })
    scenario.deliver({ type: 'drain', epoch: epochA, drainMs: 1_000, acknowledged: false })
    scenario.advance(1_000)
    expect(scenario.aborted()).toEqual([`${id} draining`])
  })
})

describe('a drain because the hub ends [CB-78]', () => {
  const hubEnds = { type: 'drain', epoch: epochA, drainMs: 800, acknowledged: false, hubEnds: true } as const

  test('finishes what is held, says BYE, and waits for the next hub', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.deliver(hubEnds)
    expect(scenario.sent('drain').map(({ acknowledged }) => acknowledged)).toEqual([true])
    const late = scenario.request()
    expect(scenario.responses()).toEqual([`${late} draining`])
    scenario.settle(id)
    expect(scenario.responses()).toEqual([`${late} draining`, `${id} result`])
    expect(scenario.sent('bye')).toEqual([bye])
    expect(scenario.session.state).toBe('connecting')
    scenario.deliver(bye)
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    scenario.signIn(epochB)
    expect(scenario.session.state).toBe('ready')
    expect(scenario.done('closed')).toEqual([])
    const next = scenario.request({ epoch: epochB })
    expect(scenario.started()).toEqual([next])
  })

  test('takes no longer than the hub gives', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.deliver(hubEnds)
    scenario.advance(800)
    expect(scenario.aborted()).toEqual([`${id} draining`])
    scenario.advance(abortGraceMs)
    expect(scenario.sent('bye')).toHaveLength(1)
    expect(scenario.session.state).toBe('connecting')
  })

  test('is over when the hub lets go first', () => {
    for (const end of [{ type: 'link_lost' }, { type: 'message', message: bye }] as const) {
      const scenario = signedIn()
      const id = scenario.request()
      scenario.deliver(hubEnds)
      scenario.step(end)
      expect(scenario.aborted()).toEqual([`${id} link_lost`])
      expect(scenario.session.state).toBe('connecting')
      scenario.signIn(epochB)
      expect(scenario.session.state).toBe('ready')
    }
  })

  test('does not keep a worker that wants to leave, before it or after', () => {
    for (const order of ['before', 'after']) {
      const scenario = signedIn()
      const id = scenario.request()
      if (order === 'before') scenario.step({ type: 'drain' })
      scenario.deliver(hubEnds)
      if (order === 'after') scenario.step({ type: 'drain' })
      scenario.settle(id)
      scenario.deliver(bye)
      expect(scenario.session.state, order).toBe('closed')
    }
  })

  test('leaves nobody behind whose own drain comes when it waits already', () => {
    const scenario = signedIn()
    scenario.deliver(hubEnds)
    scenario.step({ type: 'drain' })
    expect(scenario.session.state).toBe('closed')
  })
})

describe('stopping at once', () => {
  test('aborts, says BYE and is closed', () => {
    const scenario = signedIn()
    const id = scenario.request()
    scenario.step({ type: 'drain' })
    scenario.clear()
    scenario.step({ type: 'stop' })
    expect(scenario.effects).toEqual([
      { type: 'abort_handler', id, cause: 'stopped' },
      { type: 'send', message: bye },
      { type: 'closed' },
    ])
    expect(scenario.settle(id)).toEqual([])
  })
})
