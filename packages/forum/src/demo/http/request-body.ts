import type { IncomingMessage } from 'node:http'
import { isRecord, type JsonRecord } from '../../json/read-json.js'
import { requestBytesMax } from '../limits.js'
import { text } from './answer.js'
import { fromPairs } from './input.js'
import { invalidParameters, Refusal } from './refusal.js'

export interface ParsedBody {
  readonly record: JsonRecord
  readonly file: { readonly name: string; readonly content: Buffer } | undefined
}

/** @throws Refusal for one that is too large. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= requestBytesMax) chunks.push(chunk)
  }
  if (bytes > requestBytesMax) throw new Refusal(text('Request Entity Too Large', 413))
  return Buffer.concat(chunks)
}

/** @throws Refusal for what can't be read as what it says it is. */
export async function parseBody(body: Buffer, type: string): Promise<ParsedBody> {
  if (body.length === 0) return { record: {}, file: undefined }
  if (type.includes('multipart/form-data')) return parseForm(body, type)
  if (type.includes('json')) return { record: parseRecord(body.toString('utf8')), file: undefined }
  return { record: fromPairs(new URLSearchParams(body.toString('utf8'))), file: undefined }
}

function parseRecord(body: string): JsonRecord {
  const value = parseJson(body)
  if (!isRecord(value)) throw invalidParameters('body')
  return value
}

/** Nothing for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function parseForm(body: Buffer, type: string): Promise<ParsedBody> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData().catch(() => {
    throw invalidParameters('body')
  })
  const record = fromPairs([...form].filter(([, value]) => typeof value === 'string'))
  const file = [...form.values()].find((value) => typeof value !== 'string')
  return {
    record,
    file: file && { name: file.name, content: Buffer.from(await file.arrayBuffer()) },
  }
}
