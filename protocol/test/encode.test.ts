import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  batchMessagesMax,
  bodyBytesMax,
  decodeMessages,
  encodeBatches,
  encodedOnce,
  encodeMessage,
  frameBytesMax,
  headBytesMax,
  joinedBytesMax,
  type Message,
  type Progress,
  type Request,
} from '../src/index.js'
import { arbitraryMessage } from './support/arbitrary-messages.js'
import { sample } from './support/samples.js'
import { messageText } from './support/vector.js'

const progress = (bytes: number): Progress => ({ type: 'progress', id: 'a', body: new Uint8Array(bytes) })
const decoded = (messages: readonly Message[]) => encodeBatches(messages).map(decodeMessages)
const sizes = (messages: readonly Message[]) => decoded(messages).map((batch) => batch.messages.length)

describe('a message that can not be encoded', () => {
  const endless: { self?: object } = {}
  endless.self = endless
  const unsendable = { type: 'cancel', id: 'first', reason: endless } as unknown as Message
  const encodings: [string, (messages: readonly Message[]) => Uint8Array[][]][] = [
    ['encodeMessage', (messages) => [encodeMessage(messages[0]!)]],
    ['encodeBatches', (messages) => encodeBatches([sample('progress'), ...messages])],
  ]

  it.each(encodings)('leaves nothing of itself in the next one: %s', (_, encode) => {
    for (const [, next] of encodings) {
      const expected = next([sample('cancel')])
      expect(() => encode([unsendable])).toThrow(RangeError)
      expect(next([sample('cancel')])).toEqual(expected)
    }
  })
})

describe('encodeBatches', () => {
  it('[CB-9] keeps every message, and their order', () => {
    fc.assert(
      fc.property(fc.array(arbitraryMessage, { maxLength: 300 }), (messages) => {
        const again = decoded(messages).flatMap((batch) => batch.messages)
        const alone = messages.flatMap((message) => decodeMessages(encodeMessage(message)).messages)
        expect(again.map(messageText)).toEqual(alone.map(messageText))
      }),
      { numRuns: 100 },
    )
  })

  it('[CB-9] holds at most so many messages in a batch', () => {
    const messages = Array.from({ length: 2 * batchMessagesMax + 1 }, () => progress(1))
    expect(sizes(messages)).toEqual([batchMessagesMax, batchMessagesMax, 1])
  })

  it('[CB-4] holds heads that the receiver takes, however long the names in them are', () => {
    const messages: Message[] = Array.from({ length: 100 }, () => ({
      type: 'subscribe',
      uri: `x:${'語'.repeat(4_000)}`,
      session: 's',
    }))
    const batches = encodeBatches(messages)
    for (const frames of batches) expect(frames[0]!.byteLength).toBeLessThanOrEqual(headBytesMax)
    expect(batches.length).toBeLessThan(10)
    expect(decoded(messages).flatMap(({ faults }) => faults)).toEqual([])
    expect(decoded(messages).flatMap((batch) => batch.messages)).toHaveLength(100)
  })

  it('[CB-4] sends a head that nobody takes by itself', () => {
    const many: Message = { type: 'cancel', id: 'x'.repeat(headBytesMax), reason: 'cancelled' }
    expect(
      decoded([many, sample('cancel'), many]).map(({ messages, faults }) => [messages.length, faults.length]),
    ).toEqual([
      [0, 1],
      [1, 0],
      [0, 1],
    ])
  })

  it('[CB-4] holds bodies that one frame takes', () => {
    const messages = [progress(bodyBytesMax), progress(1), progress(bodyBytesMax - 1), progress(1)]
    for (const [, body] of encodeBatches(messages)) expect(body!.byteLength).toBeLessThanOrEqual(frameBytesMax)
    expect(sizes([progress(joinedBytesMax - 1), progress(1), progress(1)])).toEqual([2, 1])
  })

  it('passes a large body on as it is, whoever is beside it', () => {
    const large = progress(joinedBytesMax)
    const batches = encodeBatches([progress(1), large, progress(1)])
    expect(batches.map(([, body]) => body!.byteLength)).toEqual([1, joinedBytesMax, 1])
    expect(batches[1]![1]).toBe(large.body)
  })
})

describe('encodedOnce', () => {
  const request = sample('request') as Request

  it('makes the same bytes', () => {
    const once = { ...request, caller: encodedOnce({ ...request.caller }), client: encodedOnce({ ...request.client }) }
    expect(encodeMessage(once)).toEqual(encodeMessage(request))
    expect(encodeBatches([once, once])).toEqual(encodeBatches([request, request]))
  })

  it('keeps what it was given from changing', () => {
    const caller = encodedOnce({ ...request.caller, roles: [...request.caller.roles] })
    expect(Object.isFrozen(caller) && Object.isFrozen(caller.roles)).toBe(true)
  })
})
