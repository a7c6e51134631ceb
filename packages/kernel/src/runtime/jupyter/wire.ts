import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  jupyterBuffersMax,
  jupyterHeaderBytesMax,
  jupyterIdentitiesMax,
  jupyterMessageBytesMax,
  jupyterWholeBytesMax,
} from '../../limits.js'
import { splitLongText } from './long-text.js'

/** Jupyter's messaging protocol 5: "The wire protocol" of jupyter-client's documentation. Pure. */
export interface WireMessage {
  readonly identities: readonly Uint8Array[]
  readonly header: Header
  /** Empty when the message answers nothing. */
  readonly parentHeader: Header | undefined
  readonly metadata: JsonObject
  readonly content: JsonObject
  /** Of a large `stream` message, instead of the text in `content`. */
  readonly textPieces?: Iterable<string>
  readonly buffers: readonly Uint8Array[]
}

export interface Header {
  readonly msg_id: string
  readonly msg_type: string
  readonly session: string
  readonly username: string
  /** ISO 8601. */
  readonly date: string
  readonly version: string
}

export type JsonObject = { readonly [name: string]: unknown }

export type WireFault = 'no_delimiter' | 'too_few_frames' | 'too_large' | 'bad_signature' | 'bad_json' | 'bad_header'

export type Decoded =
  | { readonly kind: 'message'; readonly message: WireMessage }
  | { readonly kind: 'fault'; readonly fault: WireFault }

export function encodeMessage(message: WireMessage, key: string): Uint8Array[] {
  const { header, parentHeader, metadata, content } = message
  const parts = [header, parentHeader ?? {}, metadata, content].map((part) => Buffer.from(JSON.stringify(part)))
  return [...message.identities, delimiter, Buffer.from(signatureOf(parts, key)), ...parts, ...message.buffers]
}

/** Total: any frames give a message or the name of what is wrong with them. */
export function decodeMessage(frames: readonly Uint8Array[], key: string): Decoded {
  const at = frames.slice(0, jupyterIdentitiesMax + 1).findIndex((frame) => delimiter.equals(frame))
  if (at < 0) return fault('no_delimiter')
  const [signature, header, parent, metadata, content, ...buffers] = frames.slice(at + 1)
  if (!signature || !header || !parent || !metadata || !content) return fault('too_few_frames')
  const parts = [header, parent, metadata, content]
  if (!withinLimits(parts, buffers)) return fault('too_large')
  // First of all that looks inside: what nobody signed is not even parsed.
  if (!isSignedBy(signature, parts, key)) return fault('bad_signature')
  const values = [header, parent, metadata].map(parseObject)
  if (values.includes(undefined)) return fault('bad_json')
  const [headerValue, parentValue, metadataValue] = values as JsonObject[]
  const ownHeader = headerOf(headerValue!)
  const long = ownHeader?.msg_type === 'stream' && content.length > jupyterWholeBytesMax
  const split = long ? splitLongText(bufferOf(content)) : undefined
  const contentValue = split?.content ?? parseObject(content)
  if (!contentValue) return fault('bad_json')
  if (!ownHeader) return fault('bad_header')
  return {
    kind: 'message',
    message: {
      identities: frames.slice(0, at),
      header: ownHeader,
      parentHeader: headerOf(parentValue!),
      metadata: metadataValue!,
      content: contentValue,
      ...(split && { textPieces: split.pieces }),
      buffers,
    },
  }
}

const delimiter = Buffer.from('<IDS|MSG>')

function fault(name: WireFault): Decoded {
  return { kind: 'fault', fault: name }
}

function withinLimits(parts: readonly Uint8Array[], buffers: readonly Uint8Array[]): boolean {
  const total = [...parts, ...buffers].reduce((sum, part) => sum + part.length, 0)
  const headersFit = parts.slice(0, 2).every((part) => part.length <= jupyterHeaderBytesMax)
  return headersFit && buffers.length <= jupyterBuffersMax && total <= jupyterMessageBytesMax
}

function isSignedBy(signature: Uint8Array, parts: readonly Uint8Array[], key: string): boolean {
  const expected = Buffer.from(signatureOf(parts, key))
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

/** Over the four JSON parts; buffers are not covered, by specification. */
function signatureOf(parts: readonly Uint8Array[], key: string): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

function parseObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bufferOf(bytes).toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** The same memory. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Kernels differ in what they leave out; only these two are needed to route a message. */
function headerOf(value: JsonObject): Header | undefined {
  const { msg_id, msg_type } = value
  if (typeof msg_id !== 'string' || typeof msg_type !== 'string') return undefined
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : '')
  return {
    msg_id,
    msg_type,
    session: text('session'),
    username: text('username'),
    date: text('date'),
    version: text('version'),
  }
}
