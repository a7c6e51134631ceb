import { describe, expect, test } from 'vitest'
import { encodeJson } from '../src/json-body.js'
import { eventsMax } from '../src/limits.js'
import { epochA, epochB, Scenario } from './scenario.js'

function signedIn(): Scenario {
  const scenario = new Scenario()
  scenario.signIn()
  scenario.clear()
  return scenario
}

const more = encodeJson({ tools: [{ name: 'more' }] })

describe('definitions', () => {
  test('that change go out as UPDATE, and with the next READY', () => {
    const scenario = signedIn()
    scenario.step({ type: 'definitions_changed', body: more })
    expect(scenario.sent('update')).toEqual([{ type: 'update', epoch: epochA, body: more }])
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    scenario.signIn(epochB)
    expect(scenario.sent('ready')[0]?.body).toBe(more)
    expect(scenario.sent('update')).toEqual([])
  })

  test('that change between READY and WELCOME follow the WELCOME', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.step({ type: 'definitions_changed', body: more })
    expect(scenario.sent('update')).toEqual([])
    const body = encodeJson({ refused: [] })
    scenario.deliver({ type: 'welcome', epoch: epochA, now: scenario.hubNow, trusted: true, body })
    expect(scenario.sent('update').map((update) => update.body)).toEqual([more])
  })
})

describe('views of sessions', () => {
  const view = { hiddenTools: ['admin'] }

  test('go out at once and again after each sign-in, until the session ends or nothing is hidden', () => {
    const scenario = signedIn()
    scenario.step({ type: 'view_changed', session: 's1', view })
    scenario.step({ type: 'view_changed', session: 's2', view })
    scenario.step({ type: 'view_changed', session: 's3', view })
    scenario.step({ type: 'view_changed', session: 's3', view: { hiddenTools: [] } })
    scenario.deliver({ type: 'session_closed', session: 's2' })
    expect(scenario.sent('update').map(({ session }) => session)).toEqual(['s1', 's2', 's3', 's3'])
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    scenario.signIn(epochB)
    expect(scenario.sent('update')).toEqual([{ type: 'update', epoch: epochB, session: 's1', body: encodeJson(view) }])
  })
})

describe('sessions', () => {
  test('that SESSIONS does not name are over, if this worker knew them', () => {
    const scenario = signedIn()
    scenario.request({ caller: { session: 'called', principal: 'agent:a', roles: [], depth: 0 } })
    scenario.step({ type: 'view_changed', session: 'hidden', view: { hiddenTools: ['x'] } })
    scenario.deliver({ type: 'subscribe', uri: 'a://b', session: 'watching' })
    scenario.deliver({ type: 'subscribe', uri: 'a://b', session: 'alive' })
    scenario.clear()
    scenario.deliver({ type: 'sessions', body: encodeJson({ sessions: ['alive', 'unheard'] }) })
    expect(scenario.done('session_closed').map(({ session }) => session)).toEqual(['called', 'hidden', 'watching'])
    expect(scenario.done('subscription')).toEqual([
      { type: 'subscription', uri: 'a://b', session: 'watching', subscribed: false },
    ])
    scenario.clear()
    scenario.deliver({ type: 'sessions', body: encodeJson({ sessions: ['alive'] }) })
    scenario.deliver({ type: 'sessions', body: Buffer.from('nonsense') })
    expect(scenario.effects).toEqual([])
  })

  test('that close or change their roots are reported', () => {
    const scenario = signedIn()
    scenario.deliver({ type: 'session_closed', session: 's1' })
    scenario.deliver({ type: 'roots_changed', session: 's1' })
    expect(scenario.effects).toEqual([
      { type: 'session_closed', session: 's1' },
      { type: 'roots_changed', session: 's1' },
    ])
  })
})

describe('subscriptions', () => {
  const subscribe = { type: 'subscribe', uri: 'a://b', session: 's1' } as const

  test('are reported once each, and end with UNSUBSCRIBE, the session or the link', () => {
    const scenario = signedIn()
    const seen = () => {
      const states = scenario.done('subscription').map(({ subscribed }) => subscribed)
      scenario.clear()
      return states
    }
    scenario.deliver(subscribe)
    scenario.deliver(subscribe)
    expect(seen()).toEqual([true])
    scenario.deliver({ ...subscribe, type: 'unsubscribe' })
    scenario.deliver({ ...subscribe, type: 'unsubscribe' })
    expect(seen()).toEqual([false])
    scenario.deliver(subscribe)
    scenario.deliver({ type: 'session_closed', session: 's1' })
    expect(seen()).toEqual([true, false])
    scenario.deliver(subscribe)
    scenario.step({ type: 'link_lost' })
    expect(seen()).toEqual([true, false])
    scenario.signIn()
    scenario.deliver(subscribe)
    expect(seen()).toEqual([true])
  })
})

describe('events', () => {
  test('go out at once, or with the next sign-in, equal ones once', () => {
    const scenario = signedIn()
    scenario.step({ type: 'happened', kind: 'resource_updated', uri: 'a://b' })
    expect(scenario.sent('event')).toEqual([{ type: 'event', epoch: epochA, kind: 'resource_updated', uri: 'a://b' }])
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    for (const session of ['s1', 's1', 's2']) {
      scenario.step({ type: 'happened', kind: 'resource_updated', uri: 'a://b', session })
    }
    expect(scenario.sent('event')).toEqual([])
    scenario.signIn(epochB)
    expect(scenario.sent('event').map(({ epoch, session }) => [epoch, session])).toEqual([
      [epochB, 's1'],
      [epochB, 's2'],
    ])
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    scenario.signIn(epochB)
    expect(scenario.sent('event')).toEqual([])
  })

  test('do not pile up without a hub', () => {
    const scenario = new Scenario()
    for (let i = 0; i < eventsMax + 10; i++)
      scenario.step({ type: 'happened', kind: 'resource_updated', uri: `a://${i}` })
    scenario.signIn()
    expect(scenario.sent('event')).toHaveLength(eventsMax)
  })
})
