import type { RoutingFailure, WorkerMethod } from '@callboard/protocol'
import { nearestName } from '@callboard/protocol/nearest-name'
import {
  type CallToolResult,
  ProtocolError,
  type Result,
  type Server,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import { isDeeper } from '../broker/definition.js'
import type { CallOutcome, Connection } from '../port.js'
import type { AgentRequest } from './agent-request.js'
import { internalError, invalidParams, isRecord } from './json-rpc.js'
import { depthMax } from './limits.js'
import type { Logger } from './logger.js'
import { errorMeta, withoutWorkerForgery } from './reserved-meta.js'
import { schemaProblem } from './schema-problem.js'

export interface ResultContext {
  readonly connection: Connection
  readonly server: Server
  readonly log: Logger
}

/** What the agent gets for a call that is over. @throws ProtocolError where the protocol wants an error and no result. */
export function toResult(
  outcome: Exclude<CallOutcome, { kind: 'input_required' }>,
  request: AgentRequest,
  context: ResultContext,
): Result {
  switch (outcome.kind) {
    case 'result':
      return fromWorker(outcome.body, request, context)
    case 'error':
      return workersError(outcome.body, request, context)
    case 'failure':
      return failed(outcome.failure, request, context)
    case 'unknown':
      throw unknown(request, context.connection)
    default:
      return outcome satisfies never
  }
}

/** A tool's failure is a result that the model can read; anything else's is an error of the protocol. */
export function failed(
  failure: RoutingFailure,
  request: Pick<AgentRequest, 'method' | 'name'>,
  context: Pick<ResultContext, 'connection'>,
): Result {
  const { code, message, retryable, retryAfterMs } = failure
  const error = { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  if (request.method !== 'tools/call') {
    const { message: _, ...data } = error
    throw new ProtocolError(internalError, message, data)
  }
  const result = { content: [{ type: 'text', text: JSON.stringify({ error }) }], isError: true }
  // Clients check structuredContent against the tool's schema, which knows nothing of our errors.
  return context.connection.tool(request.name)?.definition.outputSchema === undefined
    ? { ...result, structuredContent: { error } }
    : { ...result, _meta: { [errorMeta]: error } }
}

function fromWorker(body: Uint8Array, request: AgentRequest, context: ResultContext): Result {
  const parsed = parseBody(body)
  const result =
    parsed !== undefined && request.method === 'tools/call' && parsed['content'] === undefined
      ? { ...parsed, content: [] }
      : parsed
  const problem = result === undefined ? notAnObject : schemaProblem(schemas[request.method], result, 'result')
  if (result === undefined || problem !== undefined) {
    return invalidResult(problem ?? notAnObject, request, context)
  }
  // Which kind of result this is, the hub says: a worker that asks for input does so on the wire.
  delete result['resultType']
  const honest = withoutWorkerForgery(result, result['isError'] === true)
  return request.method === 'tools/call' ? projected(honest, request.name, context) : honest
}

const notAnObject = `it is not a JSON object of at most ${depthMax} levels`

function invalidResult(problem: string, request: AgentRequest, context: ResultContext): Result {
  context.log.warn({ method: request.method, name: request.name, problem }, 'a worker returned an invalid result')
  const message = `The worker of ${request.name} returned an invalid result: ${problem}`
  return failed({ code: 'internal', message, retryable: false }, request, context)
}

/** Legacy clients take only objects as structured content; the SDK knows what to make of the rest. */
function projected(result: Record<string, unknown>, name: string, { connection, server }: ResultContext): Result {
  if (result['structuredContent'] === undefined) return result
  const schema = connection.tool(name)?.definition.outputSchema
  return server.projectCallToolResult(result as unknown as CallToolResult, schema as never)
}

/** They look without touching: what they do not know still reaches the agent. */
const schemas = {
  'tools/call': specTypeSchemas.CallToolResult,
  'resources/read': specTypeSchemas.ReadResourceResult,
  'prompts/get': specTypeSchemas.GetPromptResult,
  'completion/complete': specTypeSchemas.CompleteResult,
} satisfies Record<WorkerMethod, unknown>

/** Code, message and data are the worker's own and reach the agent as they are. @throws ProtocolError */
function workersError(body: Uint8Array, request: AgentRequest, context: ResultContext): Result {
  const error = parseBody(body)
  if (error === undefined) return invalidResult(notAnObject, request, context)
  if (!Number.isSafeInteger(error['code']) || typeof error['message'] !== 'string') {
    throw new ProtocolError(internalError, 'Internal error')
  }
  throw new ProtocolError(error['code'] as number, error['message'], error['data'])
}

function unknown(request: AgentRequest, connection: Connection): ProtocolError {
  const { method, name } = request
  switch (method) {
    case 'tools/call':
      return new ProtocolError(invalidParams, `Unknown tool: ${name}${suggestion(name, connection.tools('session'))}`, {
        error_code: 'TOOL_NOT_FOUND',
      })
    case 'prompts/get':
      return new ProtocolError(
        invalidParams,
        `Unknown prompt: ${name}${suggestion(name, connection.prompts('session'))}`,
      )
    case 'resources/read':
      return new ProtocolError(invalidParams, `Resource not found: ${name}`, { uri: name })
    case 'completion/complete':
      return new ProtocolError(invalidParams, `Nothing completes ${name}`)
    default:
      return method satisfies never
  }
}

/** From what this caller sees, so that a hidden name stays hidden. */
function suggestion(name: string, visible: readonly { readonly name: string }[]): string {
  const nearest = nearestName(
    name,
    visible.map((entry) => entry.name),
  )
  return nearest === undefined ? '' : `. Did you mean ${nearest}?`
}

/** A worker's JSON object; undefined for anything else, and for what is nested too deep to be passed on. */
export function parseBody(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
    return isRecord(value) && !isDeeper(value, depthMax) ? value : undefined
  } catch {
    return undefined
  }
}
