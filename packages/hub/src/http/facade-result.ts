import type { RoutingFailure } from '@callboard/protocol'
import { parseBody } from '../mcp/agent-result.js'
import { isRecord } from '../mcp/json-rpc.js'
import type { CallOutcome } from '../port.js'

export interface FacadeAnswer {
  readonly status: number
  readonly body: object
  readonly headers?: Record<string, string>
}

/** The one JSON object that a caller of the facade gets for a call that is over. */
export function facadeAnswer(outcome: Exclude<CallOutcome, { kind: 'unknown' }>): FacadeAnswer {
  switch (outcome.kind) {
    case 'result':
      return { status: 200, body: fromResult(outcome.body) }
    case 'error':
      return { status: 200, body: fromError(outcome.body) }
    case 'failure':
      return fromFailure(outcome.failure)
    case 'input_required':
      return { status: 200, body: failure('INPUT_UNSUPPORTED', inputMessage) }
    default:
      return outcome satisfies never
  }
}

const inputMessage =
  'The tool asks for input, which a plain HTTP request has no way to give: pass it as an argument, or use POST /mcp'

/**
 * A tool that returns an object has said what it wants to say, in its structured content or, before there was such a
 * thing, as JSON text; anything else is put into the shape of the contract.
 */
function fromResult(body: Uint8Array): object {
  const result = parseBody(body)
  if (result === undefined) return failure('INTERNAL', 'The worker returned something that is no JSON object')
  const { structuredContent, content, isError } = result
  const said = isRecord(structuredContent) ? structuredContent : jsonObjectIn(content)
  if (said === undefined)
    return isError === true ? failure('TOOL_FAILED', textOf(content), linksOf(content)) : success(result)
  return isError === true && !('success' in said) ? failed(said, content) : said
}

function success({ structuredContent, content }: Record<string, unknown>): object {
  if (structuredContent !== undefined) return { success: true, data: structuredContent }
  const isText = Array.isArray(content) && content.every((block) => isRecord(block) && block['type'] === 'text')
  return { success: true, data: isText ? textOf(content) : content }
}

/** Workers say what went wrong as `{ code, message, … }`, in `error` or, where a tool's schema leaves no room, by itself. */
function failed(said: Record<string, unknown>, content: unknown): object {
  const { code, message, ...rest } = isRecord(said['error']) ? said['error'] : said
  const details = { ...linksOf(content), ...rest }
  if (typeof code === 'string' && typeof message === 'string') return failure(code.toUpperCase(), message, details)
  return failure('TOOL_FAILED', textOf(content), { ...linksOf(content), ...said })
}

/** An error of the protocol that the worker chose to answer with. */
function fromError(body: Uint8Array): object {
  const { code, message, data } = parseBody(body) ?? {}
  const details = { code, ...(data !== undefined && { data }) }
  return failure('TOOL_FAILED', typeof message === 'string' ? message : 'The call failed', details)
}

function fromFailure({ code, message, retryable, retryAfterMs }: RoutingFailure): FacadeAnswer {
  const details = { code, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const body = failure(errorCodeOf(code), message, details)
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  return { status: statusOf(code), body, headers }
}

function errorCodeOf(code: RoutingFailure['code']): string {
  switch (code) {
    case 'request_too_large':
      return 'BODY_TOO_LARGE'
    case 'result_too_large':
    case 'depth_exceeded':
    case 'forbidden':
    case 'internal':
    case 'not_found':
    case 'rate_limited':
      return code.toUpperCase()
    case 'unavailable':
    case 'overloaded':
    case 'deadline_exceeded':
    case 'outcome_unknown':
    case 'cancelled':
    case 'deadlock':
      return 'WORKER_UNAVAILABLE'
    default:
      return code satisfies never
  }
}

function statusOf(code: RoutingFailure['code']): number {
  switch (code) {
    case 'deadline_exceeded':
      return 504
    case 'request_too_large':
      return 413
    case 'not_found':
      return 404
    case 'forbidden':
      return 403
    case 'rate_limited':
      return 429
    case 'internal':
    case 'depth_exceeded':
    case 'result_too_large':
      return 500
    case 'unavailable':
    case 'overloaded':
    case 'outcome_unknown':
    case 'cancelled':
    case 'deadlock':
      return 503
    default:
      return code satisfies never
  }
}

function failure(code: string, error: string, details: object = {}): object {
  const said = error === '' ? 'The tool failed and did not say why' : error
  return { success: false, error: said, error_code: code, ...(Object.keys(details).length > 0 && { details }) }
}

function jsonObjectIn(content: unknown): Record<string, unknown> | undefined {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text = isRecord(first) && first['type'] === 'text' ? first['text'] : undefined
  return typeof text === 'string' && text.trimStart().startsWith('{') ? parseBody(Buffer.from(text)) : undefined
}

/** What a failure leaves to be read all the same, as the parts of a result that was too large. */
function linksOf(content: unknown): { readonly links?: readonly object[] } {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  const links = blocks
    .filter(({ type }) => type === 'resource_link')
    .map(({ uri, name, mimeType, size }) => ({ uri, name, mimeType, size }))
  return links.length === 0 ? {} : { links }
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  return blocks.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n')
}
