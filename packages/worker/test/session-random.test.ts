import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeJson } from '../src/json-body.js'
import { epochA, epochB, Scenario } from './scenario.js'

/** Whatever a hub, a link and handlers may do, in any order, sense or nonsense; mostly sense, or nothing gets far. */
const action = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('link_up', 'link_lost', 'welcome') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('sign_in', 'garbage', 'define', 'event', 'mute', 'unmute') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('challenge'),
      epoch: fc.constantFrom(epochA, epochB),
      nonce: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hub_ends'), drainMs: fc.constantFrom(0, 800) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reject'), retryAfterMs: fc.constantFrom(undefined, 0, 500) }) },
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constantFrom('request', 'request', 'settle', 'cancel', 'ask', 'resume', 'call', 'result', 'give_up'),
      id: fc.integer({ min: 1, max: 12 }),
      epoch: fc.constantFrom(epochA, epochA, epochA, epochB),
      ms: fc.integer({ min: -10, max: 5_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('advance', 'advance', 'freeze'),
      ms: fc.integer({ min: 0, max: 2_000 }),
    }),
  },
)

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

function perform(scenario: Scenario, each: Action): void {
  const { now } = scenario
  const some = 'id' in each ? `${each.epoch}-${each.id}` : ''
  // What is done to a call is mostly done to one that was started.
  const started = scenario.started()
  const id = 'id' in each && each.do !== 'request' ? (started.at(-each.id) ?? some) : some
  switch (each.do) {
    case 'link_up':
    case 'link_lost':
      return void scenario.step({ type: each.do })
    case 'sign_in':
      return scenario.signIn()
    case 'challenge':
      return void scenario.challenge(
        'epoch' in each ? each.epoch : epochA,
        new Uint8Array(32).fill('nonce' in each ? each.nonce : 0),
      )
    case 'welcome': {
      const body = encodeJson({ refused: [] })
      return void scenario.deliver({ type: 'welcome', epoch: epochA, now, trusted: true, body })
    }
    case 'reject': {
      const when = 'retryAfterMs' in each && each.retryAfterMs !== undefined ? { retryAfterMs: each.retryAfterMs } : {}
      // Without a time it would be final too often to be of interest.
      const code = 'retryAfterMs' in when ? 'too_many_workers' : 'unknown_peer'
      return void scenario.deliver({ type: 'reject', code, message: 'no', ...when })
    }
    case 'hub_ends': {
      const drainMs = 'drainMs' in each ? each.drainMs : 0
      return void scenario.deliver({ type: 'drain', epoch: epochA, drainMs, acknowledged: false, hubEnds: true })
    }
    case 'request':
      return void scenario.request({ id, deadline: Math.max(0, scenario.hubNow + ('ms' in each ? each.ms : 0)) })
    case 'settle':
      return void scenario.settle(id)
    case 'cancel':
      return void scenario.deliver({ type: 'cancel', id, reason: 'cancelled' })
    case 'ask':
      return void scenario.step({ type: 'input_asked', id, questions: { a: { method: 'roots/list', params: {} } } })
    case 'resume':
      return void scenario.deliver({
        type: 'resume',
        id,
        deadline: now + 1_000,
        body: encodeJson({ inputResponses: {} }),
      })
    case 'call': {
      const call = {
        id: `c${scenario.effects.length}`,
        method: 'tools/call',
        name: 'x',
        on: { parent: id },
        progress: false,
        body: encodeJson({}),
      } as const
      return void scenario.step({ type: 'call_started', call })
    }
    case 'result':
    case 'give_up': {
      const open = scenario.sent('call').at(-1)?.id ?? 'none'
      if (each.do === 'give_up') return void scenario.step({ type: 'call_given_up', id: open })
      return void scenario.deliver({ type: 'result', id: open, outcome: 'result', body: encodeJson({}) })
    }
    case 'garbage':
      scenario.deliver({ type: 'sessions', body: Buffer.from('{') })
      scenario.deliver({ type: 'heartbeat_echo', serial: 1_000_000, sentAt: now + 5, now: 0 })
      return void scenario.deliver({ type: 'progress', id: 'nobody', body: Buffer.from('') })
    case 'define':
      return void scenario.step({ type: 'definitions_changed', body: encodeJson({ tools: [], at: now }) })
    case 'event':
      return void scenario.step({ type: 'happened', kind: 'resource_updated', uri: `a://${now}` })
    case 'advance':
      return scenario.advance('ms' in each ? each.ms : 0)
    case 'freeze':
      return scenario.freeze('ms' in each ? each.ms : 0)
    case 'mute':
    case 'unmute':
      scenario.echoes = each.do === 'unmute'
      return
  }
}

const count = (values: readonly string[], value: string) => values.filter((each) => each === value).length

/** What waits for an answer belongs to a sign-in that lasts. */
function expectNothingKept(scenario: Scenario): void {
  if (scenario.session.state === 'connecting') expect(scenario.session.pending).toEqual({ calls: 0, requests: 0 })
}

/** After each start come the abort or the answer before another: nothing is started twice at a time. */
function expectAlternation(scenario: Scenario): void {
  const alive = new Set<string>()
  for (const effect of scenario.effects) {
    if (effect.type === 'abort_handler') expect(alive.delete(effect.id), `${effect.id} was alive`).toBe(true)
    if (effect.type === 'send' && effect.message.type === 'response' && effect.message.outcome !== 'not_started') {
      alive.delete(effect.message.id)
    }
    if (effect.type === 'start_handler') {
      expect(alive.has(effect.request.id), `${effect.request.id} started once at a time`).toBe(false)
      alive.add(effect.request.id)
    }
  }
}

/** A handler that was started settles once; nothing is answered twice. */
function expectOnceEach(scenario: Scenario): void {
  const started = scenario.started()
  const finals = scenario.sent('response').flatMap((each) => (each.outcome === 'not_started' ? [] : [each.id]))
  for (const id of new Set(started)) {
    expect(count(finals, id), `final frames of ${id}`).toBeLessThanOrEqual(count(started, id))
  }
  for (const id of finals) expect(started).toContain(id)
}

/** What every CALL came to, by id. */
function expectCallsSettled(scenario: Scenario): void {
  const givenUp = new Set(scenario.sent('cancel').map(({ id }) => id))
  const settled = scenario.done('settle_call').map(({ id }) => id)
  for (const { id } of scenario.sent('call')) {
    expect(count(settled, id), `settlements of ${id}`).toBeLessThanOrEqual(1)
    if (!givenUp.has(id)) expect(count(settled, id), `settlements of ${id}`).toBe(1)
  }
}

test('no order of events breaks a rule, spins the clock, or leaves anything behind', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 150, size: 'max' }), (actions) => {
      const scenario = new Scenario({ concurrency: 3 })
      scenario.signIn()
      for (const each of actions) {
        perform(scenario, each)
        expectNothingKept(scenario)
      }
      expectOnceEach(scenario)
      expectAlternation(scenario)
      // The way out, from wherever this has led: it ends by itself even if handlers don't.
      scenario.step({ type: 'drain' })
      scenario.advance(20_000)
      expect(scenario.session.state).toBe('closed')
      expectOnceEach(scenario)
      expectCallsSettled(scenario)
      expect(scenario.session.pending).toEqual({ calls: 0, requests: 0 })
      expect(scenario.session.nextDeadline()).toBe(Number.POSITIVE_INFINITY)
    }),
    { numRuns: 1_000, seed: 20_261_120 },
  )
})
