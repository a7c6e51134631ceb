export type Id = string | number

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

/** From here on it pays to look at both ends of a line only. */
const longLineBytes = 512
const excerptBytes = 160

const id = String.raw`(-?\d{1,15}|"[\x20\x21\x23-\x5b\x5d-\x7e]{0,100}")`
const responseHead = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${id},"(?:result|error)":`)
const callHead = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${id},"method":"tools/call",`)
const openResponseHead = /^\{"(?:result|error)":/
const openCallHead = /^\{"method":"tools\/call",/
/** Nothing but the brace of the message itself can follow, so this is its own id and nothing inside it. */
const idAtTail = new RegExp(String.raw`,"jsonrpc":"2\.0","id":${id}\}\r?\n?$`)

export function glance(line: Buffer): Glance {
  return (line.length > longLineBytes ? glanceAtEnds(line) : undefined) ?? parse(line)
}

/** Calls and their results are most of the traffic and may have megabytes; how the SDKs write them tells what they are. */
function glanceAtEnds(line: Buffer): Glance | undefined {
  const head = line.toString('latin1', 0, excerptBytes)
  const message = () => JSON.parse(line.toString('utf8')) as Message
  const response = responseHead.exec(head)?.[1]
  if (response !== undefined) return { kind: 'response', id: JSON.parse(response) as Id, message }
  const call = callHead.exec(head)?.[1]
  if (call !== undefined) return { kind: 'request', id: JSON.parse(call) as Id, method: 'tools/call', message }
  const isResponse = openResponseHead.test(head)
  if (!isResponse && !openCallHead.test(head)) return undefined
  const found = idAtTail.exec(line.toString('latin1', line.length - excerptBytes))?.[1]
  if (found === undefined) return undefined
  const seen = { id: JSON.parse(found) as Id, message }
  return isResponse ? { kind: 'response', ...seen } : { kind: 'request', method: 'tools/call', ...seen }
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

const idAtHead = new RegExp(String.raw`^\{(?:"jsonrpc":"2\.0",)?"id":${id},`)

/** The id of a message of which only both ends were kept. */
export function idOfExcerpt(head: Buffer, tail: Buffer): Id | null {
  const found = idAtHead.exec(head.toString('latin1')) ?? idAtTail.exec(tail.toString('latin1'))
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as Id)
}
