import { describe, expect, it } from 'vitest'
import { Sessions } from '../../src/broker/sessions.js'
import type { Identity } from '../../src/index.js'
import { scenario } from './scenario.js'

const identity = (session: string): Identity => ({ session, principal: `agent:${session}`, roles: ['agent'] })

it('connections of one session share it', () => {
  const sessions = new Sessions()
  const first = sessions.open(1, identity('a'))
  expect(sessions.open(2, identity('a'))).toBe(first)
  expect([sessions.size, sessions.ids()]).toEqual([1, ['a']])
  expect(sessions.sessionOf(2)).toBe(first)
  expect([...sessions.connections()].map(([connection]) => connection)).toEqual([1, 2])
})

it('a closed connection is forgotten; its session stays until it is ended', () => {
  const sessions = new Sessions()
  const session = sessions.open(1, identity('a'))
  expect(sessions.close(1)).toEqual({ session, unwatched: [] })
  expect(sessions.close(1)).toBeUndefined()
  expect(sessions.identityOf(1)).toBeUndefined()
  expect(sessions.get('a')).toBe(session)
  sessions.end(session)
  expect(sessions.size).toBe(0)
})

it('a session watches a URI as long as one of its connections does', () => {
  const sessions = new Sessions()
  const session = sessions.open(1, identity('a'))
  sessions.open(2, identity('a'))
  expect(sessions.subscribe(1, 'x:1')).toBe(true)
  expect(sessions.subscribe(1, 'x:1')).toBe(false)
  expect(sessions.subscribe(2, 'x:1')).toBe(false)
  expect([...sessions.watching('x:1')]).toEqual([session])
  expect(sessions.close(1)?.unwatched).toEqual([])
  expect(sessions.unsubscribe(2, 'x:1')).toBe(true)
  expect(sessions.unsubscribe(2, 'x:1')).toBe(false)
  expect([...sessions.watching('x:1')]).toEqual([])
})

it('what a closing connection alone watched is unwatched', () => {
  const sessions = new Sessions()
  sessions.open(1, identity('a'))
  sessions.open(2, identity('a'))
  for (const [connection, uri] of [
    [1, 'x:1'],
    [1, 'x:2'],
    [2, 'x:2'],
  ] as const)
    sessions.subscribe(connection, uri)
  expect(sessions.close(1)?.unwatched).toEqual(['x:1'])
})

it('an unknown connection watches nothing', () => {
  const sessions = new Sessions()
  expect(sessions.subscribe(9, 'x:1')).toBe(false)
  expect(sessions.unsubscribe(9, 'x:1')).toBe(false)
})

it('a session watches 1,000 URIs at most', () => {
  const sessions = new Sessions()
  sessions.open(1, identity('a'))
  for (let count = 0; count < 1_000; count++) expect(sessions.subscribe(1, `x:${count}`)).toBe(true)
  expect(sessions.subscribe(1, 'x:1000')).toBe(false)
})

describe('a credential that is revoked', () => {
  it('ends the connections that stood on it, their calls, and the sessions in which nobody is left [CB-56]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 3 })
    const alone = hub.agent('ada', { session: 'one', credential: 'tok:1' })
    const leaving = hub.agent('ada', { session: 'two', credential: 'tok:1' })
    const staying = hub.agent('ada', { session: 'two', credential: 'tok:2' })
    const calls = [alone, leaving, staying].map((agent) => ({ call: agent.call('greet'), id: worker.request().id }))
    hub.step({ type: 'credential_revoked', credential: 'tok:1' })
    expect([alone, leaving, staying].map(({ heard }) => heard)).toEqual([['ended'], ['ended'], []])
    expect(worker.take('cancel').id).toBe(calls[0]!.id)
    expect(worker.take('cancel').id).toBe(calls[1]!.id)
    expect(worker.take('session_closed').session).toBe('one')
    expect(worker.takeAll()).toEqual([])
    expect(alone.call('greet').outcome).toBe('cancelled')
    for (const { id } of calls) worker.respond({ id })
    expect(calls.map(({ call }) => call.outcome)).toEqual(['cancelled', 'cancelled', expect.anything()])
  })

  it('may be one that nobody stands on', () => {
    const hub = scenario()
    const agent = hub.agent('ada', { credential: 'tok:1' })
    hub.step({ type: 'credential_revoked', credential: 'tok:2' })
    expect(agent.heard).toEqual([])
  })
})
