import { expect, it } from 'vitest'
import { Sessions } from '../../src/broker/sessions.js'
import type { Identity } from '../../src/index.js'

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
