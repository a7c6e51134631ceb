import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  batchMessagesMax,
  type Decoded,
  decodeMessages,
  encodeBatch,
  encodeMessage,
  type Message,
} from '../src/index.js'
import { arbitraryMessage } from './support/arbitrary-messages.js'
import { pack, Raw } from './support/msgpack-writer.js'
import { callId, epoch, json, sample, samples } from './support/samples.js'
import { frameBytes, messageText, readVectors } from './support/vector.js'

const validFrames = readVectors('valid')
  .map(({ frames }) => frames.map(frameBytes))
  .filter((frames) => frames.every((frame) => frame.length < 10_000))

/** What can happen to bytes on their way. */
const mutatedFrames = fc
  .record({
    frames: fc.constantFrom(...validFrames),
    edits: fc.array(
      fc.record({ frame: fc.nat(1), at: fc.nat(), remove: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ frames, edits }) =>
    edits.reduce((current, { frame, at, remove, insert }) => {
      const edited = current[frame]
      if (edited === undefined) return current.concat([insert])
      const start = at % (edited.length + 1)
      const changed = Buffer.concat([edited.subarray(0, start), insert, edited.subarray(start + remove)])
      return current.with(frame, changed)
    }, frames),
  )

describe('decodeMessages', () => {
  test('[CB-8] is total over any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }), (frames) => expectSound(frames)),
      { numRuns: 2_000 },
    )
  })

  test('[CB-8] is total over damaged messages', () => {
    fc.assert(
      fc.property(mutatedFrames, (frames) => expectSound(frames)),
      { numRuns: 10_000 },
    )
  })

  test('[CB-4] does not care whether bytes come as Buffer or Uint8Array', () => {
    fc.assert(
      fc.property(arbitraryMessage, (message) => {
        const frames = encodeMessage(message)
        expect(plain(decodeMessages(frames.map((frame) => Uint8Array.from(frame))))).toEqual(
          plain(decodeMessages(frames)),
        )
      }),
    )
  })

  test('[CB-6] takes a whole number in every format that can hold it', () => {
    // biome-ignore format: a list
    const formats = [
      '07', 'cc07', 'cd0007', 'ce00000007', 'cf0000000000000007', 'd007', 'd10007', 'd200000007', 'd30000000000000007',
      'ca40e00000', 'cb401c000000000000',
    ]
    for (const format of formats) {
      const head = pack({ type: 'heartbeat', epoch, serial: 1, sentAt: 2, load: new Raw(format) })
      const heartbeat = { type: 'heartbeat', epoch, serial: 1, sentAt: 2, load: 7 }
      expect(decodeMessages([head]), format).toEqual({ messages: [heartbeat], faults: [] })
    }
  })

  test('[CB-8] does not touch the frames, and makes bodies views of them', () => {
    const frames = encodeBatch([sample('progress'), sample('resume')])
    const before = frames.map((frame) => Buffer.from(frame))
    const { messages } = decodeMessages(frames)
    expect(frames.map((frame) => Buffer.from(frame))).toEqual(before)
    for (const message of messages) expect('body' in message && message.body.buffer).toBe(frames[1]!.buffer)
  })

  test('[CB-7] never sets the prototype of a message', () => {
    for (const { messages } of readVectors('valid').map(({ frames }) => decodeMessages(frames.map(frameBytes)))) {
      for (const message of messages) expect(Object.getPrototypeOf(message)).toBe(Object.prototype)
    }
  })
})

describe('encodeMessage', () => {
  test('[CB-5] is undone by decodeMessages, for every message that SPEC.md allows', () => {
    fc.assert(
      fc.property(arbitraryMessage, (message) => {
        expect(plain(decodeMessages(encodeMessage(message)))).toEqual({ messages: [text(message)], faults: [] })
      }),
      { numRuns: 3_000 },
    )
  })

  test.each(samples.map(({ name, minimal, full }) => [name, full ?? minimal] as const))(
    '[CB-4] gives %s two frames only where there is a body',
    (_name, message) => expect(encodeMessage(message)).toHaveLength('body' in message ? 2 : 1),
  )

  test('[CB-7] writes an undefined field as absent', () => {
    const log = { type: 'log', id: undefined, level: 'info', body: json({ data: 1 }) } as unknown as Message
    expect(decodeMessages(encodeMessage(log)).messages).toEqual([
      { type: 'log', level: 'info', body: json({ data: 1 }) },
    ])
  })
})

describe('encodeBatch', () => {
  const batches = fc.array(arbitraryMessage, { minLength: 1, maxLength: batchMessagesMax })

  test('[CB-9] means the same messages as singles', () => {
    fc.assert(
      fc.property(batches, (messages) => {
        const singles = messages.flatMap((message) => decodeMessages(encodeMessage(message)).messages)
        expect(plain(decodeMessages(encodeBatch(messages)))).toEqual({ messages: singles.map(text), faults: [] })
      }),
    )
  })

  test('[CB-9] joins the bodies in order', () => {
    const [, joined] = encodeBatch([
      sample('progress'),
      sample('bye'),
      { type: 'sessions', body: json({ sessions: [] }) },
    ])
    expect(Buffer.from(joined!).toString()).toBe('{"progress":1,"total":3}{"sessions":[]}')
  })

  test('[CB-8] costs a spoilt message only itself', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (messages, at) => {
        const spoilt = { type: 'cancel', id: callId, reason: 'whim' } as unknown as Message
        const position = at % messages.length
        const { messages: left, faults } = decodeMessages(encodeBatch(messages.toSpliced(position, 1, spoilt, spoilt)))
        if (messages.length < batchMessagesMax) {
          expect(left.map(text)).toEqual(messages.toSpliced(position, 1).map(text))
          expect(faults.map(({ code }) => code)).toEqual(['field_invalid', 'field_invalid'])
        }
      }),
      { numRuns: 50 },
    )
  })

  test('[CB-9] never has a second frame without bodies', () => {
    expect(encodeBatch([{ type: 'bye', epoch }, sample('cancel')])).toHaveLength(1)
  })
})

/** What holds for any bytes: no exception, nothing beyond a limit, and messages that stay what they are. */
function expectSound(frames: readonly Uint8Array[]): void {
  const decoded = decodeMessages(frames)
  expect(decoded.messages.length + decoded.faults.length).toBeGreaterThan(0)
  expect(decoded.messages.length + decoded.faults.length).toBeLessThanOrEqual(batchMessagesMax)
  const bodyBytes = decoded.messages.reduce((sum, message) => sum + ('body' in message ? message.body.length : 0), 0)
  expect(bodyBytes).toBeLessThanOrEqual(frames[1]?.length ?? 0)
  for (const message of decoded.messages) {
    expect(plain(decodeMessages(encodeMessage(message)))).toEqual({ messages: [text(message)], faults: [] })
  }
}

/** As text, so that −0 is 0 and a Buffer is a Uint8Array. */
const text = (message: Message): string => JSON.stringify(sorted(messageText(message)))
const plain = ({ messages, faults }: Decoded) => ({ messages: messages.map(text), faults })

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  )
}
