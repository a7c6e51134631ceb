import { type Id, readEnvelope } from './envelope.js'

export type { Id } from './envelope.js'

export interface Message {
  readonly [key: string]: unknown
}

/** What a line is, as far as the shim has to know. */
export type Glance =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly message: () => Message }
  | { readonly kind: 'response'; readonly id: Id; readonly message: () => Message }
  | { readonly kind: 'notification'; readonly method: string; readonly message: () => Message }
  | { readonly kind: 'batch'; readonly entries: readonly Glance[] }
  /** An error that answers what had no id that could be read. */
  | { readonly kind: 'fault' }
  /** The hub says to the shim, in its last line, why it lets the client go. */
  | { readonly kind: 'farewell'; readonly refusal: { readonly code: string; readonly message: string } }
  /** For the other side to judge. */
  | { readonly kind: 'unreadable' }

/** What is passed on without another look: most of the traffic. */
const bulk: ReadonlySet<string> = new Set(['tools/call', 'notifications/progress', 'notifications/message'])

/** Parses what the shim has to know more of, and what it can't be sure of otherwise. */
export function glance(line: Buffer): Glance {
  const envelope = readEnvelope(line)
  if (envelope === undefined) return parse(line)
  const { id, method } = envelope
  if (method !== undefined && !bulk.has(method)) return parse(line)
  const message = () => membersOf(line)
  if (method === undefined) return { kind: 'response', id: id!, message }
  return id === undefined ? { kind: 'notification', method, message } : { kind: 'request', id, method, message }
}

/** What is no JSON has none. */
function membersOf(line: Buffer): Message {
  try {
    return JSON.parse(line.toString('utf8')) as Message
  } catch {
    return {}
  }
}

function parse(line: Buffer): Glance {
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch {
    return { kind: 'unreadable' }
  }
  return Array.isArray(value) ? { kind: 'batch', entries: value.map(describe) } : describe(value)
}

function describe(value: unknown): Glance {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'unreadable' }
  const message = () => value as Message
  const { id: messageId, method, error } = value as Message
  const isId = typeof messageId === 'string' || Number.isSafeInteger(messageId)
  if (typeof method === 'string') {
    return isId ? { kind: 'request', id: messageId as Id, method, message } : { kind: 'notification', method, message }
  }
  if (method !== undefined) return { kind: 'unreadable' }
  if (isId) return { kind: 'response', id: messageId as Id, message }
  if (messageId === null && error !== undefined) return { kind: 'fault' }
  return describeFarewell(value as Message) ?? { kind: 'unreadable' }
}

function describeFarewell({ callboard, error }: Message): Glance | undefined {
  if (callboard !== 1 || typeof error !== 'object' || error === null) return undefined
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return { kind: 'farewell', refusal: { code: String(code), message: String(message) } }
}

const id = String.raw`(-?\d{1,15}|"[\x20\x21\x23-\x5b\x5d-\x7e]{0,100}")`
const idAtHead = new RegExp(String.raw`^\{(?:"jsonrpc":"2\.0",)?"id":${id},`)
/** Nothing but the brace of the message itself can follow, so this is its own id and nothing inside it. */
const idAtTail = new RegExp(String.raw`,"jsonrpc":"2\.0","id":${id}\}\r?\n?$`)

/** The id of a message of which only both ends were kept. */
export function idOfExcerpt(head: Buffer, tail: Buffer): Id | null {
  const found = idAtHead.exec(head.toString('latin1')) ?? idAtTail.exec(tail.toString('latin1'))
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as Id)
}
