import { bytesOf } from './encoded-once.js'
import { batchMessagesMax, headBytesMax } from './limits.js'
import type { Message } from './messages.js'
import { MsgpackWriter, type Plain } from './msgpack-writer.js'

/** The frames of one message: its head, and its body where the type has one. Takes over `message.body`: don't reuse it. */
export function encodeMessage(message: Message): Uint8Array[] {
  const body = bodyOf(message)
  startAnew()
  writeHead(message, body, false)
  return body === undefined ? [writer.take()] : [writer.take(), body]
}

/**
 * One or more messages in two frames: an array of heads, each with the length of its body in `bytes`, and all bodies
 * joined. [CB-9] The caller keeps to the limits; {@link encodeBatches} does so itself.
 */
export function encodeBatch(messages: readonly Message[]): Uint8Array[] {
  if (messages.length === 1) return encodeMessage(messages[0]!)
  const bodies: Uint8Array[] = []
  const count = writeHeads(messages, 0, messages.length, Number.POSITIVE_INFINITY, bodies)
  return framesOf(count, bodies)
}

/**
 * The frames of any number of messages to one peer, in their order: in few batches that keep the limits of the wire, beyond
 * which a batch is lost whole, with everybody's messages in it.
 */
export function encodeBatches(messages: readonly Message[]): Uint8Array[][] {
  const batches: Uint8Array[][] = []
  for (let start = 0; start < messages.length; ) {
    const end = endByBodies(messages, start)
    if (end - start === 1) {
      batches.push(encodeMessage(messages[start]!))
      start = end
      continue
    }
    const bodies: Uint8Array[] = []
    const count = writeHeads(messages, start, end, headBytesMax, bodies)
    batches.push(framesOf(count, bodies))
    start += count
  }
  return batches
}

const writer = new MsgpackWriter()

/**
 * What is joined in one frame: enough to spare a frame for each of a hundred usual bodies. To copy a larger one takes longer
 * than a frame of its own, and those that share it would wait for all of its bytes.
 */
export const joinedBytesMax = 256 * 1024

/** Where a batch that begins at `start` ends, by the number of its messages and what their bodies take. */
function endByBodies(messages: readonly Message[], start: number): number {
  const endMax = Math.min(messages.length, start + batchMessagesMax)
  let bytes = bodyOf(messages[start]!)?.byteLength ?? 0
  let end = start + 1
  for (; end < endMax; end++) {
    bytes += bodyOf(messages[end]!)?.byteLength ?? 0
    if (bytes > joinedBytesMax) break
  }
  return end
}

/** Returns how many fit, at least one, and adds their bodies. */
function writeHeads(
  messages: readonly Message[],
  start: number,
  end: number,
  bytesMax: number,
  bodies: Uint8Array[],
): number {
  startAnew()
  writer.countLater()
  for (let index = start; index < end; index++) {
    const message = messages[index]!
    const { length } = writer
    const body = bodyOf(message)
    writeHead(message, body, true)
    if (writer.length > bytesMax && index > start) {
      writer.truncate(length)
      return index - start
    }
    if (body !== undefined) bodies.push(body)
  }
  return end - start
}

/** What is left of a message that could not be encoded is in no other. */
function startAnew(): void {
  writer.truncate(0)
}

function framesOf(count: number, bodies: readonly Uint8Array[]): Uint8Array[] {
  writer.setCount(0, count)
  const head = writer.take()
  if (bodies.length === 0) return [head]
  return [head, bodies.length === 1 ? bodies[0]! : Buffer.concat(bodies)]
}

function writeHead(message: Message, body: Uint8Array | undefined, inBatch: boolean): void {
  const keys = Object.keys(message)
  writer.map(keys.length - (body === undefined || inBatch ? 0 : 1))
  for (const key of keys) {
    if (key === 'body') continue
    writer.string(key)
    const value = (message as unknown as { readonly [key: string]: Plain })[key]
    const made = typeof value === 'object' && value !== null ? bytesOf(value) : undefined
    if (made === undefined) writer.value(value)
    else writer.raw(made)
  }
  if (body === undefined || !inBatch) return
  writer.string('bytes')
  writer.number(body.byteLength)
}

const bodyOf = (message: Message): Uint8Array | undefined => ('body' in message ? message.body : undefined)
