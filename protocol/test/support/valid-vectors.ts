import type { Field } from '../../src/fields.js'
import type { Message } from '../../src/messages.js'
import { shapeOf } from '../../src/schema.js'
import { float64, join, pack, Raw } from './msgpack-writer.js'
import { ascending, callId, epoch, json, now, otherEpoch, sample, samples } from './samples.js'
import { type FrameText, hex, messageText, type Vector } from './vector.js'

type Head = { readonly [key: string]: unknown }

/** Every vector that decodes to messages and nothing else. */
export function validVectors(): Vector[] {
  return [...samples.flatMap(sampleVectors), ...edgeVectors(), ...batchVectors()]
}

function sampleVectors({ name, clause, minimal, full }: (typeof samples)[number]): Vector[] {
  const richest = full ?? minimal
  const vectors = [
    single(`${name}-minimal`, clause, 'Only what is required.', minimal),
    single(`${name}-unknown-keys`, 'CB-7', 'Keys of a later version, at every level.', richest, {
      head: withUnknownKeys(headOf(richest)),
    }),
  ]
  if (full === undefined) return vectors
  return [
    ...vectors,
    single(`${name}-full`, clause, 'Every field.', full),
    single(`${name}-nil`, 'CB-7', 'Every optional field is there and nil.', minimal, {
      head: withNil(headOf(minimal), fieldsOf(minimal)),
    }),
  ]
}

function edgeVectors(): Vector[] {
  const cancel = sample('cancel')
  const heartbeat = { type: 'heartbeat', epoch, serial: 255, sentAt: now, load: 3 } as const
  const request = sample('request') as Extract<Message, { type: 'request' }>
  const call = sample('call') as Extract<Message, { type: 'call' }>
  const ready = sample('ready') as Extract<Message, { type: 'ready' }>
  const floats = { ...heartbeat, serial: raw(float64(255)), sentAt: raw(float64(now)), load: new Raw('ca40400000') }
  const wide = {
    ...heartbeat,
    serial: new Raw('d1 00ff'),
    sentAt: new Raw('d3 000001a1e452e47b'),
    load: new Raw('ce 00000003'),
  }
  return [
    single('numbers-float', 'CB-6', 'Whole numbers as float 64 and float 32.', heartbeat, { head: floats }),
    single('numbers-wide', 'CB-6', 'Whole numbers as int 16, int 64, uint 32: longer than need be.', heartbeat, {
      head: wide,
    }),
    single('strings-wide', 'CB-5', 'A string as str 32, the map as map 32.', cancel, {
      bytes: join([
        new Raw('df 00000003').bytes,
        ...['type', 'cancel', 'id', callId, 'reason', 'cancelled'].map((text) =>
          join([new Raw(`db ${text.length.toString(16).padStart(8, '0')}`).bytes, Buffer.from(text)]),
        ),
      ]),
    }),
    single('binary-wide', 'CB-5', 'The nonce as bin 32.', sample('challenge'), {
      head: { ...headOf(sample('challenge')), nonce: raw(join([new Raw('c6 00000020').bytes, ascending(32)])) },
    }),
    single('key-order', 'CB-5', 'The type comes last.', cancel, {
      head: { reason: 'cancelled', id: callId, type: 'cancel' },
    }),
    single('proto-key', 'CB-7', 'A key named __proto__ is an unknown key like any other.', cancel, {
      bytes: join([
        new Raw('84').bytes,
        ...Object.entries(headOf(cancel)).flatMap(([key, value]) => [pack(key), pack(value)]),
        pack('__proto__'),
        pack({ type: 'bye', reason: 'draining' }),
      ]),
    }),
    single('depth-8', 'CB-5', 'Eight maps and arrays around a value, in an unknown key.', cancel, {
      head: { ...headOf(cancel), future: nested(7) },
    }),
    single('head-largest', 'CB-4', 'A head of exactly 262,144 bytes.', cancel, {
      frames: [[...padded(headOf(cancel), 262_144)]],
    }),
    single(
      'body-largest',
      'CB-4',
      'A body of exactly 4,194,304 bytes. The codec does not look into it.',
      { type: 'response', id: callId, outcome: 'result', body: Buffer.alloc(4_194_304, 0x20) },
      {
        frames: [hex(pack({ type: 'response', id: callId, outcome: 'result' })), [{ repeat: '20', times: 4_194_304 }]],
      },
    ),
    single('body-empty', 'CB-4', 'A body of no bytes is a body; that it is no JSON is found by who reads it.', {
      type: 'sessions',
      body: new Uint8Array(0),
    }),
    single('epoch-longest', 'CB-12', 'An epoch of 32 characters.', { type: 'bye', epoch: otherEpoch }),
    single('id-longest', 'CB-66', 'An id of 96 characters.', {
      type: 'cancel',
      id: '~'.repeat(96),
      reason: 'cancelled',
    }),
    single('call-id-longest', 'CB-31', 'The longest call id that a hub can make.', {
      type: 'cancel',
      id: `${otherEpoch}-9007199254740991`,
      reason: 'unknown_call',
    }),
    single(
      'text-longest',
      'CB-30',
      'Names count UTF-16 units: 2,048 characters outside of the basic plane are 4,096.',
      {
        ...request,
        name: '\u{1F3AD}'.repeat(2048),
      },
    ),
    single('text-any-character', 'CB-92', 'Text may hold line feeds, zeros and escapes.', {
      type: 'session_closed',
      session: 'a\n\u0000\u001b[2J\u202eb',
    }),
    single('numbers-greatest', 'CB-6', 'The greatest serial and time.', {
      type: 'heartbeat_echo',
      serial: 9_007_199_254_740_991,
      sentAt: 253_402_300_799_999,
      now: 0,
    }),
    single('ready-greatest', 'CB-13', 'The greatest concurrency, the slowest heartbeat, the longest service name.', {
      ...ready,
      service: 'a23456789-123456789-123456789-12',
      concurrency: 4096,
      heartbeatMs: 60_000,
      workerEpoch: 9_007_199_254_740_991,
    }),
    single('hello-range', 'CB-80', 'A worker that speaks versions 1 to 3.', { type: 'hello', versions: [1, 3] }),
    single('call-own-token', 'CB-61', 'A CALL with a token instead of a parent.', {
      ...call,
      method: 'tools/call',
      name: 'greet',
      token: 'tok-3b1f',
    }),
    ...(['draining', 'expired', 'over_credit', 'foreign_epoch', 'not_signed_in', 'stale'] as const).map((reason) =>
      single(`not-started-${reason.replaceAll('_', '-')}`, 'CB-33', `The reason ${reason}.`, {
        type: 'response',
        id: callId,
        outcome: 'not_started',
        reason,
      }),
    ),
  ]
}

function batchVectors(): Vector[] {
  const [progress, response, cancel, resume] = ['progress', 'response-result', 'cancel', 'resume'].map(sample) as [
    Message,
    Message,
    Message,
    Message,
  ]
  const echoes = Array.from(
    { length: 128 },
    (_, serial) => ({ type: 'heartbeat_echo', serial, sentAt: 1, now: 2 }) as const,
  )
  const unknown = [progress, cancel].map((message) => withUnknownKeys(batchHead(message)))
  return [
    batch('batch-bodies', 'Three messages with bodies.', [progress, response, resume]),
    batch('batch-mixed', 'Messages without a body between others.', [cancel, progress, cancel, response]),
    batch('batch-no-bodies', 'No body at all: one frame.', [cancel, sample('bye')]),
    batch('batch-one', 'A batch of one is a batch.', [response]),
    batch('batch-largest', '128 messages.', echoes),
    batch('batch-unknown-keys', 'Unknown keys in the heads of a batch.', [progress, cancel], { heads: unknown }),
    batch('batch-nil-bytes', 'A nil `bytes` is an absent one.', [cancel, progress], {
      heads: [{ ...batchHead(cancel), bytes: null }, batchHead(progress)],
    }),
    batch('batch-empty-second-frame', 'An empty second frame although nothing has a body.', [cancel, cancel], {
      joined: new Uint8Array(0),
    }),
    batch('batch-empty-body', 'A body of no bytes in a batch.', [
      { type: 'sessions', body: new Uint8Array(0) },
      progress,
    ]),
    batch('batch-bytes-uint64', '`bytes` in the longest format.', [{ type: 'sessions', body: json({}) }, cancel], {
      heads: [{ type: 'sessions', bytes: new Raw('cf 0000000000000002') }, batchHead(cancel)],
    }),
    single('bytes-outside-batch', 'CB-9', 'Outside of a batch `bytes` is an unknown key, whatever it says.', progress, {
      head: { ...headOf(progress), bytes: 99 },
    }),
  ]
}

/** How the frames of a vector differ from the plain way of writing its message. */
interface Variation {
  readonly head?: Head
  readonly bytes?: Uint8Array
  readonly frames?: readonly FrameText[]
}

function single(name: string, clause: string, about: string, message: Message, variation: Variation = {}): Vector {
  const head = hex(variation.bytes ?? pack(variation.head ?? headOf(message)))
  const frames = variation.frames ?? ('body' in message ? [head, hex(message.body)] : [head])
  return { name, clause, about, frames, message: messageText(message) }
}

function batch(
  name: string,
  about: string,
  messages: readonly Message[],
  variation: { readonly heads?: readonly Head[]; readonly joined?: Uint8Array } = {},
): Vector {
  const head = hex(pack(variation.heads ?? messages.map(batchHead)))
  const bodies = messages.flatMap((message) => ('body' in message ? [message.body] : []))
  const joined = variation.joined ?? (bodies.length > 0 ? join(bodies) : undefined)
  const frames = joined === undefined ? [head] : [head, hex(joined)]
  return { name, clause: 'CB-9', about, frames, messages: messages.map(messageText) }
}

export function headOf(message: Message): Head {
  if (!('body' in message)) return { ...message }
  const { body: _, ...head } = message
  return head
}

export function batchHead(message: Message): Head {
  return 'body' in message ? { ...headOf(message), bytes: message.body.length } : headOf(message)
}

function fieldsOf(message: Message): readonly Field[] {
  const shape = shapeOf(message.type, 'outcome' in message ? message.outcome : undefined)
  if (typeof shape === 'string') throw new Error(shape)
  return shape.fields
}

function withUnknownKeys(head: Head): Head {
  const entries = Object.entries(head).map(([key, value]) => [key, isMap(value) ? withUnknownKeys(value) : value])
  return {
    'x-future': { since: 2, list: [1, -1, 1.5, true, 'x', null] },
    ...Object.fromEntries(entries),
    'y-future': 1,
  }
}

function withNil(head: Head, fields: readonly Field[]): Head {
  const filled: Record<string, unknown> = { ...head }
  for (const field of fields) {
    const value = filled[field.name]
    if (value === undefined) filled[field.name] = null
    else if (field.fields !== undefined) filled[field.name] = withNil(value as Head, field.fields)
  }
  return filled
}

const isMap = (value: unknown): value is Head =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array) &&
  !(value instanceof Raw)

export function nested(levels: number): unknown {
  return levels === 0 ? 1 : levels % 2 === 0 ? { a: nested(levels - 1) } : [nested(levels - 1)]
}

const raw = (bytes: Uint8Array): Raw => new Raw(hex(bytes))

/** A head filled up with an unknown key to `length` bytes, at least 64 KiB. */
export function padded(head: Head, length: number): FrameText {
  const entries = Object.entries(head).flatMap(([key, value]) => [pack(key), pack(value)])
  const start = join([Uint8Array.of(0x80 | (Object.keys(head).length + 1)), ...entries, pack('pad')])
  const times = length - start.length - 5
  return [`${hex(start)}db${times.toString(16).padStart(8, '0')}`, { repeat: '70', times }]
}
