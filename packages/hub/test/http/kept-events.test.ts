import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { EventMemory, KeptEvents } from '../../src/http/kept-events.js'

const note = (n: number, bytes = 0): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'n',
  params: { n, text: 'x'.repeat(bytes) },
})
const answer: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: {} }
const primer = {} as JSONRPCMessage
const minute = 60_000

function log(memory = new EventMemory()) {
  const clock = { now: 0 }
  const events = new KeptEvents(memory, () => clock.now)
  const after = async (id: string) => {
    const sent: unknown[] = []
    const stream = await events.replayEventsAfter(id, { send: async (_, message) => void sent.push(message) })
    return { stream, sent }
  }
  return { clock, events, after, memory }
}

describe('kept events', () => {
  it('come again after the one that arrived last, and only those of its stream', async () => {
    const { events, after } = log()
    const first = await events.storeEvent('a', note(1))
    await events.storeEvent('b', note(2))
    await events.storeEvent('a', note(3))
    await events.storeEvent('a', answer)
    expect(await after(first)).toEqual({ stream: 'a', sent: [note(3), answer] })
  })

  it('can be asked for by the id of a stream that has none yet', async () => {
    const { events, after } = log()
    const id = await events.storeEvent('a', primer)
    expect(events.knows(id)).toBe(true)
    expect((await after(id)).sent).toEqual([])
    await events.storeEvent('a', answer)
    expect((await after(id)).sent).toEqual([answer])
  })

  it.each(['', 'a', 'a.', 'a.x', '.1', 'b.1', 'a.1.1', 'a b.1', 'a.99999999999999999999'])(
    'are not to be had by the id %j, which is none of theirs',
    async (id) => {
      const { events } = log()
      await events.storeEvent('a', note(1))
      expect(events.knows(id)).toBe(false)
    },
  )

  it.each(['a', '_GET_stream'])('of a former life of the hub are not to be had: %s', async (stream) => {
    const id = await log().events.storeEvent(stream, note(1))
    const { events } = log()
    await events.storeEvent(stream, note(1))
    await events.storeEvent(stream, answer)
    expect([events.knows(id), events.isOver(id)]).toEqual([false, false])
  })

  it('say what stream they were of, and what was unanswered on it, when the hub is another', async () => {
    const former = new KeptEvents(
      new EventMemory(),
      () => 0,
      () => [1, 'two'],
    )
    const { events } = log()
    const own = await former.storeEvent('_GET_stream', note(1))
    const lost = await former.storeEvent('a', primer)
    const ended = await log().events.storeEvent('a', answer)
    expect(former.formerOf(lost)).toBeUndefined()
    expect(events.formerOf('nonsense')).toBeUndefined()
    expect(events.formerOf(own)).toEqual({ kind: 'session' })
    const found = events.formerOf(lost)
    expect(found).toMatchObject({ kind: 'requests', unanswered: [1, 'two'] })
    expect(events.formerOf((found as { eventId: string }).eventId)).toMatchObject({ kind: 'requests', unanswered: [] })
    expect(events.formerOf(ended)).toMatchObject({ kind: 'requests', unanswered: [] })
  })

  it('of the stream that belongs to no request are what is left of them', async () => {
    const { events, after } = log()
    const id = await events.storeEvent('_GET_stream', note(1))
    events.clear()
    expect(events.knows(id)).toBe(true)
    await events.storeEvent('_GET_stream', note(2))
    expect((await after(id)).sent).toEqual([note(2)])
  })

  it('are forgotten some time after the answer, and not while it is due', async () => {
    const { events, clock, memory } = log()
    const due = await events.storeEvent('due', note(1))
    const answered = await events.storeEvent('answered', answer)
    clock.now += 5 * minute - 1
    events.sweep()
    expect(events.knows(answered)).toBe(true)
    clock.now += 1
    events.sweep()
    expect([events.knows(due), events.knows(answered)]).toEqual([true, false])
    events.clear()
    expect(memory.bytes).toBe(0)
  })

  it('of one session have a bound in number, bytes and streams', async () => {
    const { events, after, memory } = log()
    const first = await events.storeEvent('a', primer)
    for (let n = 0; n < 1030; n++) await events.storeEvent('a', note(n))
    const kept = (await after(first)).sent
    expect([kept.length, kept[0]]).toEqual([1024, note(6)])
    for (let n = 0; n < 4; n++) await events.storeEvent('a', note(n, 3 * 1024 * 1024))
    expect((await after(first)).sent).toHaveLength(2)
    expect(memory.bytes).toBeLessThanOrEqual(8 * 1024 * 1024)
    for (let n = 0; n < 256; n++) await events.storeEvent(`s${n}`, primer)
    expect(events.knows(first)).toBe(false)
    expect(memory.bytes).toBe(0)
  })

  it('of an answered stream are gone as a whole: what was lost is told', async () => {
    const { events } = log()
    const id = await events.storeEvent('a', answer)
    for (let n = 0; n < 1024; n++) await events.storeEvent('b', note(n))
    expect(events.knows(id)).toBe(false)
  })

  it('of all sessions have a bound, and the oldest go first', async () => {
    const memory = new EventMemory(1_000)
    const [one, other] = [log(memory), log(memory)]
    const first = await one.events.storeEvent('a', note(1, 600))
    const second = await other.events.storeEvent('b', primer)
    await other.events.storeEvent('b', note(2, 600))
    expect((await one.after(first.replace(/\d+$/, '0'))).sent).toEqual([])
    expect((await other.after(second)).sent).toEqual([note(2, 600)])
    expect(memory.bytes).toBeLessThanOrEqual(1_000)
  })
})
