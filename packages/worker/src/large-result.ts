import { bodyBytesMax } from '@callboard/protocol'
import type { Content, ResourceLink, ToolResult } from './api.js'
import { ToolError } from './errors.js'
import type { KeptAs } from './kept-results.js'
import { keptBytesEachMax, keptMs, linkedBytesMin, linkedItemsMax, noteBytesMax } from './limits.js'

/** Keeps data for the one who asked; undefined when there is no room for it. */
export type Keep = (data: string | Uint8Array, what: KeptAs) => readonly ResourceLink[] | undefined

/** The result can't be sent. What can be had of it all the same, links above all, goes with the error. */
export class ResultTooLarge extends ToolError {
  readonly content: readonly Content[]

  constructor(message: string, content: readonly Content[] = []) {
    super('result_too_large', message)
    this.content = content
  }
}

/**
 * The same result with its large parts behind resource links, so that it fits into one message. The largest content goes
 * first, and only as much as must; structured content goes only when it is too large by itself, and never when the tool
 * has promised it by an output schema: clients refuse a result without it.
 *
 * @throws ResultTooLarge when it can't be made to fit, or there is no room to keep what is left out.
 */
export function fitResult(result: ToolResult, hasOutputSchema: boolean, keep: Keep): ToolResult {
  const bytes = bytesOf(result)
  const keepOrRefuse = (data: string | Uint8Array, what: KeptAs): readonly ResourceLink[] => {
    const links = bytes > keptBytesEachMax ? undefined : keep(data, what)
    if (links !== undefined) return links
    throw new ResultTooLarge(noRoom(bytes))
  }
  const structured = result.structuredContent === undefined ? undefined : JSON.stringify(result.structuredContent)
  const structuredBytes = structured === undefined ? 0 : Buffer.byteLength(structured)
  if (structured === undefined || structuredBytes + noteBytesMax <= bodyBytesMax) {
    const content = linkLargest(result, bytes + noteBytesMax - bodyBytesMax, structured, keepOrRefuse)
    return withContent(result, content, bytes, keepOrRefuse)
  }
  const { structuredContent: _, ...rest } = result
  const content = linkLargest(rest, bytes - structuredBytes + noteBytesMax - bodyBytesMax, structured, keepOrRefuse)
  // As a rule the text is the structured content over again, and is kept already.
  const isKept = result.content.some((item) => item.type === 'text' && item.text === structured)
  const links = isKept ? [] : keepOrRefuse(structured, { name: 'structuredContent', mimeType: 'application/json' })
  if (hasOutputSchema && result.isError !== true) throw new ResultTooLarge(tooStructured(bytes), [...content, ...links])
  return withContent(rest, [...content, ...links], bytes, keepOrRefuse)
}

type KeepOrRefuse = (data: string | Uint8Array, what: KeptAs) => readonly ResourceLink[]

/** Many small things are worth reading only together, so they become one. */
function withContent(result: ToolResult, content: readonly Content[], bytes: number, keep: KeepOrRefuse): ToolResult {
  const note = noteOf(bytes)
  const one = { ...result, content: [note, ...content] }
  if (bytesOf(one) <= bodyBytesMax) return one
  const links = keep(JSON.stringify(result.content), { name: 'content', mimeType: 'application/json' })
  const other = { ...result, content: [note, ...links] }
  if (bytesOf(other) <= bodyBytesMax) return other
  throw new ResultTooLarge(`The result's _meta is too large: with it, it has ${bytes} bytes.`, links)
}

/** Replaces the largest items by links, until so many bytes are saved or nothing is left that is worth a link. */
function linkLargest(
  { content }: ToolResult,
  excess: number,
  structured: string | undefined,
  keep: KeepOrRefuse,
): readonly Content[] {
  const sizes = content.map(bytesOf)
  const largest = [...sizes.keys()].sort((one, other) => sizes[other]! - sizes[one]!)
  const replaced = new Map<number, readonly ResourceLink[]>()
  let left = excess
  for (const index of largest) {
    if (left <= 0 || sizes[index]! < linkedBytesMin || replaced.size >= linkedItemsMax) break
    const payload = payloadOf(content[index]!, index, structured)
    if (payload === undefined) continue
    const links = keep(payload.data, payload.what)
    replaced.set(index, links)
    left -= sizes[index]! - bytesOf(links)
  }
  return content.flatMap<Content>((item, index) => replaced.get(index) ?? [item])
}

/** What of an item can be kept, bytes as bytes. */
function payloadOf(
  item: Content,
  index: number,
  structured: string | undefined,
): { readonly data: string | Uint8Array; readonly what: KeptAs } | undefined {
  const { annotations, _meta } = item
  const said = { ...(annotations === undefined ? {} : { annotations }), ...(_meta === undefined ? {} : { _meta }) }
  const name = `${item.type} ${index + 1}`
  switch (item.type) {
    case 'text': {
      const mimeType = item.text === structured ? 'application/json' : 'text/plain'
      return { data: item.text, what: { name, mimeType, ...said } }
    }
    case 'image':
    case 'audio':
      return { data: Buffer.from(item.data, 'base64'), what: { name, mimeType: item.mimeType, ...said } }
    case 'resource': {
      const { resource } = item
      const as = { name: resource.uri, ...said }
      if (typeof resource['text'] === 'string') {
        return { data: resource['text'], what: { ...as, mimeType: resource.mimeType ?? 'text/plain' } }
      }
      const mimeType = resource.mimeType ?? 'application/octet-stream'
      return { data: Buffer.from(String(resource['blob']), 'base64'), what: { ...as, mimeType } }
    }
    default:
      return undefined
  }
}

function noteOf(bytes: number): Content {
  return {
    type: 'text',
    text: `This result has ${bytes} bytes, and one message holds ${bodyBytesMax}. What is left out is behind the resource links below: read each by resources/read within ${keptMs / 60_000} minutes. Parts joined in their order are exactly the original.`,
  }
}

function tooStructured(bytes: number): string {
  return `The tool has done its work, but its result has ${bytes} bytes, and one message holds ${bodyBytesMax}. Read it by resources/read from the resource links beside this within ${keptMs / 60_000} minutes: the parts joined in their order are its JSON. Or ask for less.`
}

function noRoom(bytes: number): string {
  return `The result has ${bytes} bytes, and one message holds ${bodyBytesMax}. It can't be kept for reading either: a result of more than ${keptBytesEachMax} bytes never is, and the worker may have no room now. Ask for less.`
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
