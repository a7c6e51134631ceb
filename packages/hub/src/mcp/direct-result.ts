import { type Result, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import { isDeeper } from '../broker/definition.js'
import type { Era } from './client-descriptor.js'
import { textOf } from './direct-request.js'
import { isRecord } from './json-rpc.js'
import { depthMax } from './limits.js'

/** Many a client takes either for the end of a line. */
const lineEnds = [0x0a, 0x0d]
const openingBrace = 0x7b
const closingBrace = 0x7d
const colon = 0x3a
/** As every SDK begins a result. */
const usualBeginning = Buffer.from('{"content":[')
/** What the hub has a word in: whose marks those are, and which kind of result it is. */
const marks = ['"_meta"', '"resultType"'].map((mark) => Buffer.from(mark))
/** What eras have in other shapes, unless it is an object. */
const structured = Buffer.from('"structuredContent"')

/**
 * Whether the bytes of a worker's result may stand in an answer as they are: they are one JSON object on one line, and say nothing that
 * is not a worker's to say. The bytes of a trusted worker are JSON, and are only searched; those of any other are parsed. False: whoever
 * takes them apart finds out what is to be done.
 */
export function mayPass(body: Buffer, trusted: boolean): boolean {
  if (body[0] !== openingBrace || body[body.length - 1] !== closingBrace) return false
  for (const end of lineEnds) if (body.includes(end)) return false
  return trusted ? isUsual(body) : isPlain(body)
}

function isUsual(body: Buffer): boolean {
  if (!body.subarray(0, usualBeginning.length).equals(usualBeginning)) return false
  const at = body.indexOf(structured)
  const isAdapted = at !== -1 && !isObjectAt(body, at + structured.length)
  return !isAdapted && !marks.some((mark) => body.includes(mark))
}

/** Of a member whose name has just ended. */
const isObjectAt = (body: Buffer, at: number): boolean => body[at] === colon && body[at + 1] === openingBrace

function isPlain(body: Buffer): boolean {
  const text = textOf(body)
  if (text === undefined) return false
  try {
    const result: unknown = JSON.parse(text)
    return isRecord(result) && isPlainResult(result)
  } catch {
    return false
  }
}

function isPlainResult(result: Record<string, unknown>): boolean {
  for (const key in result) {
    const value = result[key]
    switch (key) {
      case 'content':
        if (!Array.isArray(value) || !value.every(isPlainText)) return false
        break
      case 'structuredContent':
        if (!isRecord(value) || isDeeper(value, depthMax - 2)) return false
        break
      case 'isError':
        if (typeof value !== 'boolean') return false
        break
      default:
        return false
    }
  }
  return 'content' in result
}

/** Others are held against the schemas. */
function isPlainText(part: unknown): boolean {
  return isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' && Object.keys(part).length === 2
}

/** What the hub says in each result, beside what its worker says. */
export interface ResultFrame {
  /** Members, for {@link asOfEra}. */
  readonly members: { readonly resultType?: 'complete'; readonly _meta?: { readonly [key: string]: unknown } }
  /** The same before a worker's bytes, of which so many are left out for it. Characters below 256, one for each byte. */
  readonly before: string
  readonly skipped: 0 | 1
}

type Info = { readonly name: string; readonly version: string }

const legacyFrame: ResultFrame = { members: {}, before: '', skipped: 0 }
const modernFrames = new WeakMap<Info, ResultFrame>()

export function resultFrame(era: Era, info: Info): ResultFrame {
  if (era === 'legacy') return legacyFrame
  const known = modernFrames.get(info)
  if (known !== undefined) return known
  const members = { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: info } } as const
  const before = `${Buffer.from(JSON.stringify(members).slice(0, -1)).toString('latin1')},`
  const frame = { members, before, skipped: 1 } as const
  modernFrames.set(info, frame)
  return frame
}

/** A result of ours; which kind of result it is, it may say itself. */
export function asOfEra(result: Result, { members }: ResultFrame): Result {
  if (members._meta === undefined) return result
  return { ...members, ...result, _meta: { ...result._meta, ...members._meta } } as Result
}
