import { describe, expect, test } from 'vitest'
import type { CallStart } from '../src/index.js'
import { encodeJson } from '../src/json-body.js'
import { openCallsMax } from '../src/limits.js'
import { epochA, Scenario } from './scenario.js'

const body = encodeJson({ name: 'other', arguments: {} })

function start(scenario: Scenario, overrides: Partial<CallStart> = {}): void {
  const call: CallStart = {
    id: 'c1',
    method: 'tools/call',
    name: 'other',
    on: 'own',
    progress: false,
    body,
    ...overrides,
  }
  scenario.step({ type: 'call_started', call })
}

function serving(): { scenario: Scenario; parent: string } {
  const scenario = new Scenario({ offset: 250 })
  scenario.signIn()
  return { scenario, parent: scenario.request() }
}

const failures = (scenario: Scenario) =>
  scenario
    .done('settle_call')
    .map(({ id, result }) => `${id} ${result.outcome === 'failure' ? result.failure.code : result.outcome}`)

describe('a CALL', () => {
  test('names its parent, inherits the deadline, and settles with the first RESULT', () => {
    const { scenario, parent } = serving()
    start(scenario, { on: { parent }, idempotencyKey: 'key', progress: true })
    const deadline = scenario.hubNow + 60_000
    expect(scenario.sent('call')).toEqual([
      {
        type: 'call',
        epoch: epochA,
        id: 'c1',
        method: 'tools/call',
        name: 'other',
        parent,
        deadline,
        idempotencyKey: 'key',
        progress: true,
        body,
      },
    ])
    scenario.deliver({ type: 'progress', id: 'c1', body })
    expect(scenario.done('call_progressed')).toEqual([{ type: 'call_progressed', id: 'c1', body }])
    scenario.deliver({ type: 'result', id: 'c1', outcome: 'result', body })
    scenario.deliver({ type: 'result', id: 'c1', outcome: 'result', body })
    scenario.deliver({ type: 'progress', id: 'c1', body })
    expect(scenario.done('settle_call')).toEqual([
      { type: 'settle_call', id: 'c1', result: { outcome: 'result', body } },
    ])
    expect(scenario.done('call_progressed')).toHaveLength(1)
    expect(scenario.session.pending.calls).toBe(0)
  })

  test('may have less time than its parent, never more', () => {
    const { scenario, parent } = serving()
    start(scenario, { on: { parent }, timeoutMs: 1_000 })
    start(scenario, { id: 'c2', on: { parent }, timeoutMs: 3_600_000 })
    const now = scenario.hubNow
    expect(scenario.sent('call').map(({ deadline }) => deadline! - now)).toEqual([1_000, 60_000])
  })

  test('with a token has no parent, and no deadline but its own', () => {
    const { scenario } = serving()
    start(scenario, { on: { token: 'secret' } })
    start(scenario, { id: 'c2', on: { token: 'secret' }, timeoutMs: 5_000 })
    const [first, second] = scenario.sent('call')
    expect(first).toEqual({
      type: 'call',
      epoch: epochA,
      id: 'c1',
      method: 'tools/call',
      name: 'other',
      token: 'secret',
      progress: false,
      body,
    })
    expect(second?.deadline).toBe(scenario.hubNow + 5_000)
  })

  test('passes on the failure of the hub', () => {
    const { scenario, parent } = serving()
    start(scenario, { on: { parent } })
    const failure = { code: 'overloaded', message: 'busy', retryable: true, retryAfterMs: 50 } as const
    scenario.deliver({ type: 'result', id: 'c1', outcome: 'failure', failure })
    expect(scenario.done('settle_call')).toEqual([
      { type: 'settle_call', id: 'c1', result: { outcome: 'failure', failure } },
    ])
  })

  test('is cancelled with its parent, and when the parent ends before it', () => {
    for (const end of ['cancel', 'settle'] as const) {
      const { scenario, parent } = serving()
      start(scenario, { on: { parent } })
      start(scenario, { id: 'c2', on: { token: 'secret' } })
      if (end === 'cancel') scenario.deliver({ type: 'cancel', id: parent, reason: 'cancelled' })
      else scenario.settle(parent)
      expect(scenario.sent('cancel')).toEqual([{ type: 'cancel', id: 'c1', reason: 'cancelled' }])
      expect(failures(scenario)).toEqual(['c1 cancelled'])
      scenario.deliver({ type: 'result', id: 'c1', outcome: 'result', body })
      expect(failures(scenario)).toHaveLength(1)
      expect(scenario.session.pending.calls).toBe(1)
    }
  })

  test('can be given up', () => {
    const { scenario } = serving()
    start(scenario)
    scenario.step({ type: 'call_given_up', id: 'c1' })
    scenario.step({ type: 'call_given_up', id: 'c1' })
    expect(scenario.sent('cancel')).toHaveLength(1)
    expect(scenario.session.pending.calls).toBe(0)
  })

  test('ends as outcome_unknown when the hub is lost', () => {
    const { scenario, parent } = serving()
    start(scenario, { on: { token: 'secret' } })
    start(scenario, { id: 'c2', on: { parent } })
    scenario.step({ type: 'link_lost' })
    expect(failures(scenario).sort()).toEqual(['c1 outcome_unknown', 'c2 cancelled'])
    expect(scenario.sent('cancel')).toEqual([])
    expect(scenario.session.pending.calls).toBe(0)
  })

  test('is refused without a hub, without its parent, and beyond the limit', () => {
    const { scenario, parent } = serving()
    start(scenario, { id: 'orphan', on: { parent: 'unknown' } })
    scenario.deliver({ type: 'cancel', id: parent, reason: 'cancelled' })
    start(scenario, { id: 'late', on: { parent } })
    for (let i = 0; i <= openCallsMax; i++) start(scenario, { id: `n${i}` })
    scenario.step({ type: 'link_lost' })
    start(scenario, { id: 'offline' })
    const ends = failures(scenario).filter((end) => !end.endsWith('outcome_unknown'))
    expect(ends).toEqual(['orphan cancelled', 'late cancelled', `n${openCallsMax} overloaded`, 'offline unavailable'])
  })
})
