import { VirtualClock } from '@callboard/worker/testing'
import { expect, test } from 'vitest'
import { sessionIdleMs, sessionsMax } from '../../src/limits.js'
import type { Selection } from '../../src/sites/selection.js'
import { SessionSites } from '../../src/sites/session-sites.js'

const site = (base: string) => ({ base }) as Selection

function setting() {
  const clock = new VirtualClock()
  const dropped: string[] = []
  return { clock, dropped, sites: new SessionSites(clock, (session) => dropped.push(session)) }
}

test('each session has its own', () => {
  const { sites } = setting()
  sites.set('one', site('https://a.example'))
  sites.set('two', site('https://b.example'))
  expect(sites.get('one')?.base).toBe('https://a.example')
  expect(sites.get('two')?.base).toBe('https://b.example')
  expect(sites.get('three')).toBeUndefined()
})

test('another selection takes the place of the former', () => {
  const { sites } = setting()
  sites.set('one', site('https://a.example'))
  sites.set('one', site('https://b.example'))
  expect(sites.get('one')?.base).toBe('https://b.example')
})

test('a session that is over has none, and nobody is told what they know', () => {
  const { sites, dropped } = setting()
  sites.set('one', site('https://a.example'))
  sites.end('one')
  expect(sites.get('one')).toBeUndefined()
  expect(dropped).toEqual([])
})

test('a selection that nobody used for a day is dropped; one that was used stays', () => {
  const { sites, clock, dropped } = setting()
  sites.set('idle', site('https://a.example'))
  sites.set('busy', site('https://a.example'))
  clock.advance(sessionIdleMs / 2)
  expect(sites.get('busy')).toBeDefined()
  clock.advance(sessionIdleMs / 2)
  expect(sites.get('busy')).toBeDefined()
  expect(sites.get('idle')).toBeUndefined()
  expect(dropped).toEqual(['idle'])
})

test('of too many the one that was used least recently gives way', () => {
  const { sites, dropped } = setting()
  for (let count = 0; count < sessionsMax; count += 1) sites.set(`s${count}`, site('https://a.example'))
  sites.get('s0')
  sites.set('one more', site('https://a.example'))
  expect(dropped).toEqual(['s1'])
  expect(sites.get('s0')).toBeDefined()
})

test('selections of one session take effect in the order in which they were asked for', async () => {
  const { sites } = setting()
  const order: string[] = []
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = sites.inTurn('one', async () => {
    await slow
    order.push('first')
  })
  const second = sites.inTurn('one', async () => void order.push('second'))
  await sites.inTurn('another', async () => void order.push('another'))
  release()
  await Promise.all([first, second])
  expect(order).toEqual(['another', 'first', 'second'])
})

test('a selection that fails lets the next one have its turn', async () => {
  const { sites } = setting()
  const failing = sites.inTurn('one', () => Promise.reject(new Error('no forum')))
  const next = sites.inTurn('one', async () => 'selected')
  await expect(failing).rejects.toThrow('no forum')
  await expect(next).resolves.toBe('selected')
})
