import type { IncomingHttpHeaders } from 'node:http'
import type { ToolDefinition } from '@callboard/protocol'
import { isRecord } from '../mcp/json-rpc.js'
import { type ParamHeader, paramHeadersOf } from '../param-headers.js'
import type { Connection } from '../port.js'

const headerMismatch = -32020

/**
 * Compares the `Mcp-Param-` headers of a modern tool call with its arguments: who routes by the one and who acts on the
 * other must mean the same.
 * @returns the answer to a request in which they differ
 */
export function headerMismatchOf(
  body: unknown,
  headers: IncomingHttpHeaders,
  connection: Connection,
): Response | undefined {
  if (!isRecord(body) || body['method'] !== 'tools/call' || !isRecord(body['params'])) return undefined
  const { name, arguments: given } = body['params']
  const tool = typeof name === 'string' ? connection.tool(name) : undefined
  for (const mirrored of tool === undefined ? [] : mirroredOf(tool.definition)) {
    const problem = problemOf(mirrored, headers[`mcp-param-${mirrored.name.toLowerCase()}`], valueAt(given, mirrored))
    if (problem === undefined) continue
    const header = `Mcp-Param-${mirrored.name}`
    const error = {
      code: headerMismatch,
      message: `Bad Request: the header ${header} ${problem}`,
      data: { mismatch: { header, body: mirrored.path.join('.') } },
    }
    return Response.json({ jsonrpc: '2.0', id: body['id'], error }, { status: 400 })
  }
  return undefined
}

/** Whether a modern client has to repeat arguments of this tool in headers. */
export function mirrorsArguments(tool: ToolDefinition): boolean {
  return mirroredOf(tool).length > 0
}

/** A definition stays the same object until its worker sends another. */
const byTool = new WeakMap<ToolDefinition, readonly ParamHeader[]>()

function mirroredOf(tool: ToolDefinition): readonly ParamHeader[] {
  let known = byTool.get(tool)
  if (known === undefined) {
    const scanned = paramHeadersOf(tool.inputSchema)
    known = scanned.kind === 'valid' ? scanned.headers : []
    byTool.set(tool, known)
  }
  return known
}

function valueAt(given: unknown, { path }: ParamHeader): unknown {
  let value = given
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

function problemOf({ type }: ParamHeader, header: string | string[] | undefined, value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return header === undefined ? undefined : 'is there, and the argument is not'
  }
  // An object where a string should be is for the worker to refuse.
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  if (typeof header !== 'string') return 'is missing'
  const text = decoded(header)
  if (text === undefined) return 'holds invalid characters or invalid Base64'
  const isSame = text === String(value) || (type === 'integer' && typeof value === 'number' && isNumber(text, value))
  return isSame ? undefined : 'differs from the argument'
}

function isNumber(text: string, value: number): boolean {
  return /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value
}

const base64Form = /^=\?base64\?(.*)\?=$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Undefined for what is neither plain ASCII nor Base64 of UTF-8. */
function decoded(header: string): string | undefined {
  if (!/^[\t\x20-\x7e]*$/.test(header)) return undefined
  const encoded = base64Form.exec(header)?.[1]
  if (encoded === undefined) return header
  if (!base64.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}
