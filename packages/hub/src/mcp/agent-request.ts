import { createHash } from 'node:crypto'
import { bodyBytesMax, nameLengthMax, uriLengthMax, type WorkerMethod } from '@callboard/protocol'
import { type JSONRPCRequest, ProtocolError } from '@modelcontextprotocol/server'
import { invalidParams, isRecord, methodNotFound } from './json-rpc.js'
import { metaTextLengthMax } from './limits.js'
import { idempotencyKeyMeta, sessionMeta, withoutClientForgery } from './reserved-meta.js'

/** An agent's request, parsed: what the hub routes by, and the params as the worker will see them. */
export interface AgentRequest {
  readonly method: WorkerMethod
  readonly name: string
  readonly body: Buffer
  readonly progressToken?: string | number | undefined
  readonly idempotencyKey?: string | undefined
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/**
 * `brought`: answers that came with the request, to questions that nobody has asked yet.
 * @throws ProtocolError -32601 for a method that is not a worker's, -32602 for params that are wrong.
 */
export function parseAgentRequest(
  request: Pick<JSONRPCRequest, 'method' | 'params'>,
  brought?: { readonly [key: string]: unknown },
): AgentRequest {
  const { method } = request
  if (!isWorkerMethod(method)) throw new ProtocolError(methodNotFound, 'Method not found')
  const params: Record<string, unknown> = { ...request.params }
  const asked = describeRequest(method, params)
  const honest = withoutClientForgery(params)
  return { ...asked, body: encode(brought === undefined ? honest : { ...honest, inputResponses: brought }) }
}

/** All but the body. @throws ProtocolError -32602 for params that are wrong. */
export function describeRequest<Method extends WorkerMethod>(method: Method, params: Record<string, unknown>) {
  const name = nameOf(method, params)
  checkArguments(method, params)
  const meta = params['_meta'] ?? {}
  if (!isRecord(meta)) throw invalid('"_meta" must be an object')
  const progressToken = meta['progressToken']
  const idempotencyKey = metaText(meta, idempotencyKeyMeta)
  metaText(meta, sessionMeta)
  const traceparent = traceparentOf(meta)
  // All members, whatever they are: objects of one shape make what reads them fast.
  return {
    method,
    name,
    progressToken: isToken(progressToken) ? progressToken : undefined,
    idempotencyKey,
    traceparent,
    tracestate: traceparent === undefined ? undefined : tracestateOf(meta),
  }
}

/** Of everything that the answer depends on: a retry that brings input must ask the same thing. */
export function argumentsHashOf({ body }: AgentRequest): string {
  const { _meta: _, inputResponses: __, requestState: ___, ...asked } = JSON.parse(body.toString('utf8'))
  return createHash('sha256')
    .update(JSON.stringify(sorted(asked)))
    .digest('base64url')
}

/** The session that a stateless client names for itself. @throws ProtocolError -32602 unless a short string. */
export function sessionNameOf(params: unknown): string | undefined {
  const meta = isRecord(params) ? params['_meta'] : undefined
  return isRecord(meta) ? metaText(meta, sessionMeta) : undefined
}

const workerMethods: readonly string[] = [
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
] satisfies WorkerMethod[]

/** Whether a worker answers it; everything else the hub does, or nobody. */
export function isWorkerMethod(method: unknown): method is WorkerMethod {
  return workerMethods.includes(method as string)
}

function nameOf(method: WorkerMethod, params: Record<string, unknown>): string {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return text(params['name'], '"name"', nameLengthMax)
    case 'resources/read':
      return text(params['uri'], '"uri"', uriLengthMax)
    case 'completion/complete':
      return referenceOf(params['ref'])
    default:
      return method satisfies never
  }
}

function referenceOf(reference: unknown): string {
  if (isRecord(reference) && reference['type'] === 'ref/prompt')
    return text(reference['name'], '"ref.name"', nameLengthMax)
  if (isRecord(reference) && reference['type'] === 'ref/resource')
    return text(reference['uri'], '"ref.uri"', uriLengthMax)
  throw invalid('"ref" must be a ref/prompt with a name or a ref/resource with a URI')
}

function checkArguments(method: WorkerMethod, params: Record<string, unknown>): void {
  const given = params['arguments']
  if (method === 'completion/complete') {
    const argument = params['argument']
    if (isRecord(argument) && typeof argument['name'] === 'string' && typeof argument['value'] === 'string') return
    throw invalid('"argument" must be an object with the strings "name" and "value"')
  }
  if (given === undefined || method === 'resources/read') return
  if (!isRecord(given)) throw invalid('"arguments" must be an object')
  if (method === 'prompts/get' && !Object.values(given).every((value) => typeof value === 'string')) {
    throw invalid('"arguments" of a prompt must be strings')
  }
}

function encode(params: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(params))
  if (body.length <= bodyBytesMax) return body
  throw invalid(
    `they have ${body.length} bytes as JSON, and ${bodyBytesMax} is the most; send less, or where to find it`,
  )
}

/** W3C Trace Context; whatever does not look like it travels in the body only. */
const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
const tracestatePattern = /^[\x20-\x7e]{1,512}$/

function traceparentOf({ traceparent }: Record<string, unknown>): string | undefined {
  return typeof traceparent === 'string' && traceparentPattern.test(traceparent) ? traceparent : undefined
}

function tracestateOf({ tracestate }: Record<string, unknown>): string | undefined {
  return typeof tracestate === 'string' && tracestatePattern.test(tracestate) ? tracestate : undefined
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

function metaText(meta: Record<string, unknown>, key: string): string | undefined {
  return meta[key] === undefined ? undefined : text(meta[key], `_meta["${key}"]`, metaTextLengthMax)
}

function text(value: unknown, what: string, lengthMax: number): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= lengthMax) return value
  throw invalid(`${what} must be a string of 1 to ${lengthMax} characters`)
}

function isToken(value: unknown): value is string | number {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))
}

function invalid(why: string): ProtocolError {
  return new ProtocolError(invalidParams, `Invalid params: ${why}`)
}
