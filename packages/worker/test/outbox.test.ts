import { batchMessagesMax, bodyBytesMax, encodeBatch, headBytesMax, type Message } from '@callboard/protocol'
import { describe, expect, test } from 'vitest'
import { outboxMessagesMax, sharedBodyBytesMax } from '../src/limits.js'
import { Outbox } from '../src/outbox.js'

const response = (id: string, bytes = 1): Message => ({
  type: 'response',
  id,
  outcome: 'result',
  body: new Uint8Array(bytes),
})
const progress = (id: string, mark: number): Message => ({ type: 'progress', id, body: Uint8Array.of(mark) })
const log = (id: string): Message => ({ type: 'log', id, level: 'info', body: new Uint8Array(1) })
const names = (batch: readonly Message[] | undefined) =>
  batch?.map((message) => `${message.type} ${'id' in message ? message.id : ''}`)

function filled(...messages: Message[]): Outbox {
  const outbox = new Outbox()
  for (const message of messages) outbox.push(message)
  return outbox
}

describe('the outbox', () => {
  test('gives messages back in order, in batches within the limits', () => {
    const outbox = filled(...Array.from({ length: batchMessagesMax + 1 }, (_, n) => response(`${n}`)))
    expect(outbox.take()).toHaveLength(batchMessagesMax)
    expect(names(outbox.take())).toEqual([`response ${batchMessagesMax}`])
    expect(outbox.take()).toBeUndefined()
    const large = sharedBodyBytesMax - 1
    const fitting = Math.floor(bodyBytesMax / large)
    const full = filled(...Array.from({ length: fitting + 1 }, (_, n) => response(`${n}`, large)))
    expect(full.take()).toHaveLength(fitting)
    expect(names(full.take())).toEqual([`response ${fitting}`])
  })

  test('sends a large body by itself, in its place', () => {
    const outbox = filled(response('a'), response('b', sharedBodyBytesMax), response('c'), response('d'))
    expect(names(outbox.take())).toEqual(['response a'])
    expect(names(outbox.take())).toEqual(['response b'])
    expect(names(outbox.take())).toEqual(['response c', 'response d'])
  })

  test('keeps heads within their limit, however long the names', () => {
    const call: Message = {
      type: 'call',
      epoch: 'hubepoch0a',
      id: 'c',
      method: 'resources/read',
      name: '\u20ac'.repeat(4_096),
      progress: false,
      body: new Uint8Array(1),
    }
    const outbox = filled(...Array.from({ length: 100 }, () => call))
    for (let batch = outbox.take(); batch !== undefined; batch = outbox.take()) {
      expect(encodeBatch(batch)[0]!.byteLength).toBeLessThanOrEqual(headBytesMax)
    }
  })

  test('keeps only the newest progress of a call, at the place of the first', () => {
    const outbox = filled(progress('a', 1), progress('b', 2), progress('a', 3), response('a'))
    const batch = outbox.take()
    expect(names(batch)).toEqual(['progress a', 'progress b', 'response a'])
    expect(batch?.[0]).toEqual(progress('a', 3))
    outbox.push(progress('a', 4))
    expect(outbox.take()).toEqual([progress('a', 4)])
  })

  test('takes a batch back to the front, without its HELLO', () => {
    const outbox = filled(response('a'), response('b'))
    const batch = outbox.take()!
    outbox.push(response('c'))
    outbox.restore([{ type: 'hello', versions: [1, 1] }, ...batch])
    expect(names(outbox.take())).toEqual(['response a', 'response b', 'response c'])
  })

  test('a HELLO ends what was waiting for the old sign-in', () => {
    const outbox = filled(response('a'), { type: 'hello', versions: [1, 1] }, response('b'))
    expect(names(outbox.take())).toEqual(['hello ', 'response b'])
  })

  test('sheds what is by the way first, then the oldest', () => {
    const outbox = filled(log('l'), progress('p', 1))
    for (let n = 0; n < outboxMessagesMax; n++) outbox.push(response(`${n}`))
    const kept: string[] = []
    for (let batch = outbox.take(); batch !== undefined; batch = outbox.take()) kept.push(...names(batch)!)
    expect(kept.at(-1)).toBe(`response ${outboxMessagesMax - 1}`)
    expect(kept.some((name) => !name.startsWith('response'))).toBe(false)
    expect(kept.length + outbox.dropped).toBe(outboxMessagesMax + 2)
  })
})
