import type { PromptMessages, ResourceContents } from './api.js'
import { isRecord } from './json-body.js'
import { isContent } from './tool-result.js'

/** What `resources/read` answers, of whatever a reader may return. */
export interface ReadResult {
  readonly contents: readonly ResourceContents[]
  readonly [key: string]: unknown
}

/**
 * What the reader left out is what was asked for: the URI, and the MIME type of the definition with it.
 *
 * @throws TypeError that names the resource and what is allowed, for the log of the worker.
 */
export function toReadResult(returned: unknown, uri: string, mimeType: string | undefined): ReadResult {
  const asked = { uri, ...(mimeType === undefined ? {} : { mimeType }) }
  const rest = isRecord(returned) && Array.isArray(returned['contents']) ? returned : {}
  const contents = listed(returned, 'contents').map((item) => toContents(item, asked))
  if (contents.every((item) => item !== undefined)) return { ...rest, contents }
  throw new TypeError(
    `resource ${uri} returned ${kindOf(returned)}; a reader returns a text, { text }, { blob } with base64, an array of these, or { contents }`,
  )
}

/** @throws TypeError that names the prompt and what is allowed, for the log of the worker. */
export function toPromptMessages(returned: unknown, name: string): PromptMessages {
  if (typeof returned === 'string') return { messages: [{ role: 'user', content: { type: 'text', text: returned } }] }
  const rest = isRecord(returned) ? returned : {}
  const messages = listed(returned, 'messages')
  if (messages.every(isMessage)) return { ...rest, messages }
  throw new TypeError(
    `prompt ${name} returned ${kindOf(returned)}; a handler returns a text, { messages }, or an array of messages { role: 'user' or 'assistant', content: { type, … } }`,
  )
}

/** The items of a list, or of the list under `key`; anything else stands for the only item. */
function listed(returned: unknown, key: 'contents' | 'messages'): readonly unknown[] {
  const inside = isRecord(returned) ? returned[key] : undefined
  if (Array.isArray(inside)) return inside
  return Array.isArray(returned) ? returned : [returned]
}

function toContents(item: unknown, asked: Pick<ResourceContents, 'uri' | 'mimeType'>): ResourceContents | undefined {
  if (typeof item === 'string') return { ...asked, text: item }
  if (!isRecord(item)) return undefined
  const hasPayload = typeof item['text'] === 'string' || typeof item['blob'] === 'string'
  if (!hasPayload || !['undefined', 'string'].includes(typeof item['uri'])) return undefined
  return (item['uri'] === undefined ? { ...asked, ...item } : item) as unknown as ResourceContents
}

function isMessage(item: unknown): item is PromptMessages['messages'][number] {
  return isRecord(item) && (item['role'] === 'user' || item['role'] === 'assistant') && isContent(item['content'])
}

/** Enough to find the mistake by: values may be large, or secret. */
function kindOf(returned: unknown): string {
  if (returned === null || returned === undefined) return String(returned)
  if (Array.isArray(returned)) return `an array of ${returned.length}, of which one is wrong`
  if (!isRecord(returned)) return `a ${typeof returned}`
  const keys = Object.keys(returned)
  return `an object with ${keys.length === 0 ? 'nothing' : keys.slice(0, 8).join(', ')}`
}
