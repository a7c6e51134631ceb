import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { isRecord } from './json-rpc.js'

/**
 * The JSON of what lists hold. A definition is the same object for as long as it is in force, so each is written once, and not
 * once per agent and question: a thousand of them take longer to write than the rest of an answer takes altogether.
 */
const entryTexts = new WeakMap<object, EntryText>()
/** Of whole pages; a page that is asked for again is the same array. */
const pageTexts = new WeakMap<readonly unknown[], string>()

interface EntryText {
  readonly text: string
  /** In UTF-8. */
  readonly bytes: number
}

export function entryTextOf(entry: object): EntryText {
  const known = entryTexts.get(entry)
  if (known !== undefined) return known
  const text = JSON.stringify(entry)
  const made = { text, bytes: Buffer.byteLength(text) }
  entryTexts.set(entry, made)
  return made
}

const listKeys = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const

/** What `JSON.stringify` gives, but for the order of members; pages of lists are not written anew. */
export function messageText(message: JSONRPCMessage): string {
  if (!('result' in message) || !isRecord(message.result)) return JSON.stringify(message)
  const { result, ...others } = message
  const key = listKeys.find((each) => isOfEntries(result[each]))
  if (key === undefined) return JSON.stringify(message)
  const { [key]: page, ...more } = result
  const members = JSON.stringify(more).slice(1)
  const separator = members === '}' ? '' : ','
  const head = JSON.stringify(others).slice(0, -1)
  return `${head},"result":{"${key}":${pageText(page as readonly unknown[])}${separator}${members}}`
}

/** An entry that the SDK has adapted to an era is one that we do not know, among others that we know. */
function isOfEntries(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((entry) => isRecord(entry) && entryTexts.has(entry))
}

function pageText(page: readonly unknown[]): string {
  const known = pageTexts.get(page)
  if (known !== undefined) return known
  const texts = page.map((entry) => entryTexts.get(entry as object)?.text ?? JSON.stringify(entry))
  const text = `[${texts.join(',')}]`
  pageTexts.set(page, text)
  return text
}
