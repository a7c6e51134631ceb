import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import type { SessionOptions } from '@callboard/worker'
import { expect, test } from 'vitest'
import { type BrokerLike, type FaultProfile, type SessionLike, type SimulationOptions, simulate } from '../src/index.js'

// A checker that finds nothing proves nothing: each of these bugs must be found in a few seeds of a faultless run.

type Effects = ReturnType<SessionLike['step']>

const calm: Partial<FaultProfile> = {
  name: 'calm',
  link: { latencyMs: [0, 2], loss: 0, reordering: 0, duplication: 0, full: 0 },
  notices: 'prompt',
  habits: { asks: true, hangs: false, sticks: false, nests: 2, tokens: true, slowMs: 300 },
  agents: 4,
  paceMs: 100,
  chaosMs: 6_000,
  clockSkewMs: 0,
  forgetful: false,
  drifts: false,
  troubles: {
    cut: 0,
    freeze: 0,
    kill: 0,
    terminate: 0,
    stop: 0,
    drain: 0,
    hub_kill: 0,
    hub_shutdown: 0,
    hub_freeze: 0,
    hostile_frame: 0,
    redefine: 0,
    tell: 0.3,
    clock_jump: 0,
    sicken: 0,
    rebuild: 0,
    burst: 0,
    crowd: 0,
  },
}

test('without a planted bug these runs pass', () => {
  for (let seed = 1; seed <= 10; seed++) expect(simulate({ seed, profile: calm }).failure).toBeUndefined()
})

const inBroker = (change: (effects: readonly BrokerEffect[], event: BrokerEvent) => readonly BrokerEffect[]) => ({
  wrapBroker: (broker: BrokerLike): BrokerLike => ({
    step: (event, now) => change(broker.step(event, now), event),
    nextDeadline: () => broker.nextDeadline(),
    snapshot: () => broker.snapshot(),
    tool: (name, identity) => broker.tool(name, identity),
  }),
})

const beforeBroker = (accept: (event: BrokerEvent) => boolean) => ({
  wrapBroker: (broker: BrokerLike): BrokerLike => ({
    step: (event, now) => broker.step(accept(event) ? event : { type: 'tick' }, now),
    nextDeadline: () => broker.nextDeadline(),
    snapshot: () => broker.snapshot(),
    tool: (name, identity) => broker.tool(name, identity),
  }),
})

const inSession = (change: (effects: Effects, options: SessionOptions) => Effects) => ({
  wrapSession: (session: SessionLike, options: SessionOptions): SessionLike => ({
    step: (event, now) => change(session.step(event, now), options),
    nextDeadline: () => session.nextDeadline(),
    get state() {
      return session.state
    },
    get load() {
      return session.load
    },
    get pending() {
      return session.pending
    },
  }),
})

/** True once, at the n-th time of asking. */
const nth = (count: number) => {
  let asked = 0
  return () => ++asked === count
}

const isResult = (effect: BrokerEffect): effect is Extract<BrokerEffect, { type: 'settle' }> =>
  effect.type === 'settle' && effect.outcome.kind === 'result'

const isRequest = (effect: BrokerEffect): boolean => effect.type === 'send' && effect.message.type === 'request'

/** The broker says once that it has ejected somebody. */
const withNotice = (instance: string, forMs: number) => {
  const isIt = nth(5)
  const notice = { kind: 'worker_ejected', service: 'svc0', instance, why: 'planted', forMs } as const
  return inBroker((effects) => (effects.some(isResult) && isIt() ? [...effects, { type: 'notice', notice }] : effects))
}

const bugs: Readonly<Record<string, { plant: () => Omit<SimulationOptions, 'seed'>; found: RegExp }>> = {
  'a settlement is dropped': {
    plant: () => {
      const isIt = nth(5)
      return inBroker((effects) => effects.filter((effect) => !(effect.type === 'settle' && isIt())))
    },
    found: /was never settled/,
  },
  'a turn is settled twice': {
    plant: () => {
      const isIt = nth(5)
      return inBroker((effects) => effects.flatMap((one) => (one.type === 'settle' && isIt() ? [one, one] : [one])))
    },
    found: /settled twice/,
  },
  "one session gets another's result": {
    plant: () => {
      let former: Extract<BrokerEffect, { type: 'settle' }> | undefined
      const isIt = nth(5)
      return inBroker((effects) =>
        effects.map((effect) => {
          if (!isResult(effect)) return effect
          const swapped = former !== undefined && isIt() ? { ...effect, outcome: former.outcome } : effect
          former = effect
          return swapped
        }),
      )
    },
    found: /was answered with what belongs to/,
  },
  "one session sees another's progress": {
    plant: () => {
      let former: Uint8Array | undefined
      return inBroker((effects) =>
        effects.map((effect) => {
          if (effect.type !== 'progress') return effect
          const body = former ?? effect.body
          former = effect.body
          return { ...effect, body }
        }),
      )
    },
    found: /progress of .* went to/,
  },
  'a request is run twice': {
    plant: () =>
      inSession((effects) => effects.flatMap((one): Effects => (one.type === 'start_handler' ? [one, one] : [one]))),
    found: /ran twice|starts .* as number/,
  },
  'a request is handed over twice': {
    plant: () => {
      const isIt = nth(5)
      return inBroker((effects) => effects.flatMap((one) => (isRequest(one) && isIt() ? [one, one] : [one])))
    },
    found: /still runs an earlier attempt|ran twice/,
  },
  'a credit is leaked': {
    plant: () => {
      const isIt = nth(5)
      return beforeBroker((event) => !(event.type === 'message' && event.message.type === 'response' && isIt()))
    },
    found: /credits, by the frames|probes wait|has left|waits, though/,
  },
  'a worker keeps its answer to itself': {
    plant: () => {
      const isIt = nth(5)
      return inSession((effects) =>
        effects.filter((one) => !(one.type === 'send' && one.message.type === 'response' && isIt())),
      )
    },
    found: /probes wait|has left/,
  },
  'a nested call is never settled at its worker': {
    plant: () => inSession((effects) => effects.filter((one) => !(one.type === 'settle_call'))),
    found: /probes wait|nested call .* was never settled/,
  },
  'a call is said not to have run, though it did': {
    plant: () =>
      inBroker((effects) =>
        effects.map((effect) => {
          if (!isResult(effect)) return effect
          const failure = { code: 'unavailable', message: 'not started', retryable: true } as const
          return { ...effect, outcome: { kind: 'failure', failure } }
        }),
      ),
    found: /was said not to have run/,
  },
  'a closed session is not told to the workers': {
    plant: () =>
      inBroker((effects) => effects.filter((one) => !(one.type === 'send' && one.message.type === 'session_closed'))),
    found: /sessions of agents/,
  },
  'an update reaches who does not watch': {
    plant: () =>
      inBroker((effects) =>
        effects.map((one) =>
          one.type === 'resource_updated' ? { ...one, connections: [...one.connections, 999] } : one,
        ),
      ),
    found: /does not watch/,
  },
  'a deadline does not move': {
    plant: () => ({
      wrapBroker: (broker: BrokerLike): BrokerLike => {
        let now = 0
        return {
          step: (event, at) => {
            now = at
            return broker.step(event, at)
          },
          nextDeadline: () => now,
          snapshot: () => broker.snapshot(),
          tool: (name, identity) => broker.tool(name, identity),
        }
      },
    }),
    found: /a shell would spin/,
  },
  'a child goes on when its parent is cancelled': {
    plant: () =>
      inBroker((effects, event) => {
        if (event.type !== 'cancel') return effects
        const isCancel = (one: BrokerEffect) => one.type === 'send' && one.message.type === 'cancel'
        const first = effects.find(isCancel)
        return effects.filter((one) => one === first || !isCancel(one))
      }),
    found: /still runs on .* when its parent .* is over/,
  },
  'a child has more time than its parent': {
    plant: () =>
      inBroker((effects) =>
        effects.map((one) => {
          if (one.type !== 'send' || one.message.type !== 'request' || one.message.caller.depth === 0) return one
          return { ...one, message: { ...one.message, deadline: one.message.deadline + 60_000 } }
        }),
      ),
    found: /ms more time than its parent/,
  },
  'a call is shed without a time to wait': {
    plant: () =>
      inBroker((effects) =>
        effects.map((effect) => {
          if (!isResult(effect)) return effect
          const failure = { code: 'overloaded', message: 'too many', retryable: true } as const
          return { ...effect, outcome: { kind: 'failure', failure } }
        }),
      ),
    found: /refused as overloaded, to be repeated after undefined ms/,
  },
  'a call that was handed over is said to have been shed': {
    plant: () =>
      inBroker((effects) =>
        effects.map((effect) => {
          if (!isResult(effect)) return effect
          const failure = { code: 'overloaded', message: 'too many', retryable: true, retryAfterMs: 500 } as const
          return { ...effect, outcome: { kind: 'failure', failure } }
        }),
      ),
    found: /was said never to have begun \(overloaded\)/,
  },
  'a call waits beside an idle worker': {
    plant: () => {
      const isIt = nth(5)
      return inBroker((effects) => effects.filter((one) => !(isRequest(one) && isIt())))
    },
    found: /waits, though .* could take it|waits for .*, which works on an ancestor|credits, by the frames/,
  },
  'somebody is ejected who is not there': {
    plant: () => withNotice('i999', 10_000),
    found: /i999 is ejected, and not signed in/,
  },
  'an ejection is for too short a time': {
    plant: () => withNotice('i1', 9_999),
    found: /ejection 1 of i1 is for 9999 ms/,
  },
  'a worker is ejected that is well, or the last one': {
    plant: () => withNotice('i1', 10_000),
    found: /workers of svc0 are ejected|is ejected for \d failures, \d without an answer/,
  },
  'a broker throws': {
    plant: () => {
      const isIt = nth(50)
      return inBroker((effects) => {
        if (isIt()) throw new Error('planted')
        return effects
      })
    },
    found: /threw Error: planted/,
  },
}

test.each(Object.entries(bugs))('found: %s', (_, { plant, found }) => {
  const messages: string[] = []
  for (let seed = 1; seed <= 8; seed++) {
    const { failure } = simulate({ seed, profile: calm, ...plant() })
    if (failure !== undefined) messages.push(failure.message)
  }
  expect(messages.length, 'seeds that fail').toBeGreaterThan(0)
  expect(messages.filter((message) => found.test(message)).length, messages.join('\n')).toBeGreaterThan(0)
  for (const message of messages) expect(message).toMatch(found)
})
