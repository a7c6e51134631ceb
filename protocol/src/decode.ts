import { type Fault, fault } from './faults.js'
import { pick } from './fields.js'
import { batchMessagesMax, bodyBytesMax, headBytesMax } from './limits.js'
import type { Message } from './messages.js'
import { readMsgpack } from './msgpack-reader.js'
import { shapeOf } from './schema.js'

/** What one ZeroMQ message held. A fault spoils its own message only; its neighbours in a batch stand. [CB-8] */
export interface Decoded {
  readonly messages: readonly Message[]
  readonly faults: readonly Fault[]
}

/**
 * Reads the frames behind the routing id. Total: for any bytes it returns messages and faults, never throws.
 * Bodies are views into the given frames, not copies.
 */
export function decodeMessages(frames: readonly Uint8Array[]): Decoded {
  const [head, body, ...more] = frames
  if (head === undefined || more.length > 0) return refuse('frame_count', 'a message has one or two frames')
  if (head.byteLength > headBytesMax) return refuse('head_too_large', `a head has at most ${headBytesMax} bytes`)
  if (body !== undefined && body.byteLength > bodyBytesMax) {
    return refuse('body_too_large', `a body has at most ${bodyBytesMax} bytes`)
  }
  const value = readMsgpack(head)
  if (Array.isArray(value)) return decodeBatch(value, body)
  if (!isObject(value)) return refuse('head_malformed', 'a head is one msgpack map, or an array of maps')
  const message = decodeHead(value, body)
  return isFault(message) ? { messages: [], faults: [message] } : { messages: [message], faults: [] }
}

function decodeBatch(heads: readonly unknown[], joined: Uint8Array | undefined): Decoded {
  if (heads.length === 0 || heads.length > batchMessagesMax) {
    return refuse('batch_too_large', `a batch holds 1 to ${batchMessagesMax} messages`)
  }
  const lengths = bodyLengths(heads, joined?.byteLength ?? 0)
  if (lengths === undefined) return refuse('batch_lengths', 'the bodies of a batch fill its second frame exactly')
  const messages: Message[] = []
  const faults: Fault[] = []
  let start = 0
  for (const [index, head] of heads.entries()) {
    const length = lengths[index]
    const body = length === undefined ? undefined : (joined ?? empty).subarray(start, start + length)
    start += length ?? 0
    const message = isObject(head) ? decodeHead(head, body) : fault('head_malformed', 'a batch holds maps only')
    if (isFault(message)) faults.push(message)
    else messages.push(message)
  }
  return { messages, faults }
}

const empty = new Uint8Array(0)

/** The `bytes` of each head, or undefined when they don't add up to what is there. */
function bodyLengths(heads: readonly unknown[], available: number): (number | undefined)[] | undefined {
  const lengths: (number | undefined)[] = []
  let sum = 0
  for (const head of heads) {
    const length = isObject(head) && Object.hasOwn(head, 'bytes') ? (head as { bytes: unknown }).bytes : undefined
    if (length === undefined || length === null) {
      lengths.push(undefined)
      continue
    }
    if (typeof length !== 'number' || !Number.isInteger(length) || length < 0) return undefined
    sum += length
    if (sum > available) return undefined
    lengths.push(length)
  }
  return sum === available ? lengths : undefined
}

function decodeHead(head: object, body: Uint8Array | undefined): Message | Fault {
  const { type, outcome } = head as { type?: unknown; outcome?: unknown }
  if (typeof type !== 'string') return fault('field_missing', 'type is missing')
  const shape = shapeOf(type, outcome)
  if (shape === 'type_unknown')
    return fault('type_unknown', `there is no message type ${JSON.stringify(type.slice(0, 32))}`)
  if (shape === 'outcome_invalid') return fault('field_invalid', `${type}: outcome is not one of its outcomes`)
  const picked = pick(head, shape.fields)
  if (!picked.ok) return fault(picked.missing ? 'field_missing' : 'field_invalid', `${type}: ${picked.problem}`)
  if (shape.body === 'required' && body === undefined) return fault('body_missing', `${type} needs a body`)
  if (shape.body === 'none' && body !== undefined) return fault('body_unexpected', `${type} has no body`)
  const message: Record<string, unknown> = picked.value
  message['type'] = type
  if (type === 'response' || type === 'result') message['outcome'] = outcome
  if (body !== undefined) message['body'] = body
  return checkPair(message as unknown as Message)
}

/** The rules that no single field shows. */
function checkPair(message: Message): Message | Fault {
  if (message.type === 'hello' && (message.versions.length !== 2 || message.versions[0] > message.versions[1])) {
    return fault('field_invalid', 'hello: versions must be the lowest and the highest version')
  }
  if (message.type === 'event' && message.kind === 'resource_updated' && message.uri === undefined) {
    return fault('field_missing', 'event: resource_updated needs a uri')
  }
  return message
}

function refuse(code: Fault['code'], message: string): Decoded {
  return { messages: [], faults: [fault(code, message)] }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function isFault(value: Message | Fault): value is Fault {
  return !('type' in value)
}
