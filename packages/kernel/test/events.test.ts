import { describe, expect, it } from 'vitest'
import { eventBytesPerOwnerMax, eventDataBytesMax, eventsKeptMax } from '../src/limits.js'
import { Events } from '../src/session/events.js'

const never = new AbortController().signal
const ann = 'agent:ann'
const bob = 'agent:bob'

describe('events', () => {
  it('are read on from a cursor, in pages', () => {
    const events = new Events('boot')
    for (const type of ['a', 'b', 'c']) events.publish(ann, type, { type }, 0)
    const first = events.read(ann, { cursor: 'boot.0', limit: 2 })
    expect(first.events.map(({ type }) => type)).toEqual(['a', 'b'])
    expect(first).toMatchObject({ has_more: true, gap: false })
    const second = events.read(ann, { cursor: first.cursor, limit: 2 })
    expect(second.events).toMatchObject([{ type: 'c', data: { type: 'c' }, time: '1970-01-01T00:00:00.000Z' }])
    expect(second.has_more).toBe(false)
    expect(events.read(ann, { cursor: second.cursor, limit: 2 }).events).toEqual([])
  })

  it('without a cursor: the newest', () => {
    const events = new Events('boot')
    for (let index = 0; index < 10; index += 1) events.publish(ann, index % 2 === 0 ? 'even' : 'odd', index, 0)
    const page = events.read(ann, { types: ['odd'], limit: 2 })
    expect(page.events.map(({ data }) => data)).toEqual([7, 9])
    expect(page.has_more).toBe(false)
  })

  it('of one owner are never seen by another, nor pushed out by it', () => {
    const events = new Events('boot')
    const { cursor } = events.publish(ann, 'secret', 1, 0)
    for (let index = 0; index < eventsKeptMax + 5; index += 1) events.publish(bob, 'noise', index, 0)
    expect(events.read(bob, { types: ['secret'], limit: 10 }).events).toEqual([])
    expect(events.read(ann, { limit: 10 }).events).toMatchObject([{ type: 'secret' }])
    expect(events.read(ann, { cursor, limit: 10 }).gap).toBe(false)
  })

  it('say so when some were lost: pushed out, or of another start of the worker', () => {
    const events = new Events('boot')
    const { cursor } = events.publish(ann, 'first', 0, 0)
    for (let index = 0; index < eventsKeptMax; index += 1) events.publish(ann, 'x', index, 0)
    expect(events.read(ann, { cursor: 'boot.0', limit: 1 }).gap).toBe(true)
    expect(events.read(ann, { cursor, limit: 1 })).toMatchObject({ gap: false, events: [{ data: 0 }] })
    expect(new Events('later').read(ann, { cursor, limit: 1 })).toMatchObject({ gap: true, events: [] })
  })

  it('ticks keep only the latest, and leave no gap', () => {
    const events = new Events('boot')
    const { cursor } = events.publish(ann, 'a', null, 0)
    for (let beat = 0; beat < 100; beat += 1) events.publish(ann, 'tick', beat, 0)
    const page = events.read(ann, { cursor, limit: 10 })
    expect(page.events).toMatchObject([{ type: 'tick', data: 99 }])
    expect(page.gap).toBe(false)
  })

  it('are bounded in bytes, each and together', () => {
    const events = new Events('boot')
    const most = 'x'.repeat(eventDataBytesMax - 2)
    expect(() => events.publish(ann, 'x', `${most}x`, 0)).toThrow(/65536 bytes/)
    const count = eventBytesPerOwnerMax / eventDataBytesMax
    for (let index = 0; index < count + 3; index += 1) events.publish(ann, 'x', most, 0)
    let kept = 0
    let cursor = 'boot.3'
    for (let page = events.read(ann, { cursor, limit: 9 }); ; page = events.read(ann, { cursor, limit: 9 })) {
      expect(page.gap).toBe(false)
      kept += page.events.length
      cursor = page.cursor
      if (!page.has_more) break
    }
    expect(kept).toBe(count)
  })

  it('wait for the first that fits, and no longer than told', async () => {
    const events = new Events('boot')
    const waiting = events.wait(ann, { cursor: events.newest(ann), types: ['job.*'], limit: 5 }, never)
    events.publish(ann, 'other', 1, 0)
    events.publish(bob, 'job.completed', 2, 0)
    events.publish(ann, 'job.failed', 3, 0)
    expect(await waiting).toMatchObject({ events: [{ type: 'job.failed', data: 3 }] })
    const over = new AbortController()
    const inVain = events.wait(ann, { cursor: events.newest(ann), limit: 5 }, over.signal)
    over.abort()
    expect((await inVain).events).toEqual([])
  })

  it('that came before their waiter are seen by its cursor', async () => {
    const events = new Events('boot')
    const cursor = events.newest(ann)
    events.publish(ann, 'job.completed', 1, 0)
    expect((await events.wait(ann, { cursor, types: ['job.*'], limit: 1 }, never)).events).toHaveLength(1)
  })

  it('refuse what is no cursor', () => {
    expect(() => new Events('boot').read(ann, { cursor: '17', limit: 1 })).toThrow(/not a cursor/)
  })
})
