import { bodyBytesMax, isKeptUri, type Request, textLengthMax } from '@callboard/protocol'
import type { Logger } from 'pino'
import type { Completion, Context, ToolResult, WorkerOptions } from './api.js'
import type { Catalogue } from './catalogue.js'
import { CallAborted, CallFailure, InputUnsupported, ToolError } from './errors.js'
import { after, type Eventually, isPending } from './eventually.js'
import { toPromptMessages, toReadResult } from './handler-returns.js'
import { encodeJson, isRecord } from './json-body.js'
import { type KeptResults, ownerOf } from './kept-results.js'
import { fitResult, ResultTooLarge } from './large-result.js'
import { completionValuesMax } from './limits.js'
import { parseValue } from './parse-value.js'
import { RpcError } from './rpc-error.js'
import type { Outcome } from './session-messages.js'
import type { SessionTools } from './session-tools.js'
import type { Tool } from './tool.js'
import { describeIssues, parseInput } from './tool-input.js'
import { readReturn, toErrorResult, toToolResult } from './tool-result.js'

export interface Serving {
  readonly catalogue: Catalogue
  readonly sessionTools: SessionTools
  readonly kept: KeptResults
  readonly formatError?: WorkerOptions['formatError']
  readonly log: Pick<Logger, 'error'>
}

type Params = { readonly [key: string]: unknown }

/** Runs the handler that a request is for. Neither throws nor rejects: whatever goes wrong is part of the answer. */
export function serve(serving: Serving, request: Request, params: Params, context: Context): Eventually<Outcome> {
  const tool = request.method === 'tools/call' ? findTool(serving, request) : undefined
  return tool === undefined ? serveOther(serving, request, params, context) : serveTool(serving, tool, params, context)
}

async function serveOther(serving: Serving, request: Request, params: Params, context: Context): Promise<Outcome> {
  try {
    const returned = await answer(serving, request, params, context)
    const body = requireFit(encodeReturned(request.name, () => encodeJson(returned)))
    return { outcome: 'result', isError: false, body }
  } catch (error) {
    const known = protocolError(error, context)
    return errorOutcome(known ?? asRpcError(toToolError(error, context, serving, request.name), request))
  }
}

/** What the caller's session has of its own stands before what all have. */
function findTool({ catalogue, sessionTools }: Serving, { name, caller }: Request): Tool | undefined {
  return sessionTools.find(caller.session, name) ?? catalogue.tools.get(name)
}

/** Answers at once when neither schemas nor handler have anything to wait for. */
function serveTool(serving: Serving, tool: Tool, params: Params, context: Context): Eventually<Outcome> {
  const fail = (error: unknown) => failedOutcome(serving, tool, context, error)
  try {
    const input = parseInput(tool.input, params['arguments'] ?? {})
    const returned = after(input, (data) => tool.handler(data, context))
    const outcome = after(returned, (value) => resultOutcome(serving, tool, context, value))
    return isPending(outcome) ? outcome.then(undefined, fail) : outcome
  } catch (error) {
    return fail(error)
  }
}

function resultOutcome(serving: Serving, tool: Tool, context: Context, returned: unknown): Eventually<Outcome> {
  return after(checkOutput(tool, returned), (result) => ({
    outcome: 'result',
    isError: result.isError === true,
    body: fittedBody(serving, result, tool, context),
  }))
}

function failedOutcome(serving: Serving, tool: Tool, context: Context, error: unknown): Outcome {
  const known = protocolError(error, context)
  if (known !== undefined) return errorOutcome(known)
  const refusal = toToolError(error, context, serving, tool.definition.name)
  const hasOutputSchema = tool.output !== undefined
  const plain = new ToolError(refusal.code, cut(refusal.message), { retryable: refusal.retryable })
  const shapes = [() => toErrorResult(refusal, hasOutputSchema), () => toErrorResult(plain, hasOutputSchema)]
  const own = formatError(serving, refusal, tool)
  if (own !== undefined) shapes.unshift(() => own)
  if (refusal instanceof ResultTooLarge) shapes.unshift(...shapes.map((shape) => () => joined(shape(), refusal)))
  return { outcome: 'result', isError: own?.isError ?? true, body: firstBody(shapes) }
}

/** The result's bytes; what is too large for a message is kept for whoever called. [CB-4] */
function fittedBody(
  { kept }: Serving,
  result: ToolResult,
  { definition, output }: Tool,
  { caller }: Context,
): Uint8Array {
  const body = encodeReturned(definition.name, () => encodeJson(result))
  if (body.byteLength <= bodyBytesMax) return body
  return encodeJson(fitResult(result, output !== undefined, (data, what) => kept.keep(ownerOf(caller), data, what)))
}

function joined(error: ToolResult, { content }: ResultTooLarge): ToolResult {
  return { ...error, content: [...error.content, ...content] }
}

function errorOutcome({ code, message, data }: RpcError): Outcome {
  const shapes = [() => ({ code, message, data }), () => ({ code, message: cut(message) })]
  return { outcome: 'error', body: firstBody(shapes) }
}

/** What MCP has a code for, also where it happened in a worker that this one called; undefined for anything else. */
function protocolError(error: unknown, { client }: Context): RpcError | undefined {
  if (error instanceof RpcError) return error
  if (client.generation === 'legacy') return undefined
  if (error instanceof InputUnsupported) {
    return new RpcError(missingCapability, error.message, { requiredCapabilities: capabilityFor(error.kind) })
  }
  if (error instanceof CallFailure && error.error?.code === missingCapability) {
    return new RpcError(missingCapability, error.error.message, error.error.data)
  }
  return undefined
}

/** As a client would declare it. */
function capabilityFor(kind: InputUnsupported['kind']): { readonly [capability: string]: object } {
  return kind === 'form' || kind === 'url' ? { elicitation: { [kind]: {} } } : { [kind]: {} }
}

function checkOutput({ output, definition }: Tool, returned: unknown): Eventually<ToolResult> {
  const parts = readReturn(returned, output !== undefined)
  if (output === undefined || (parts.isError && parts.value === undefined)) {
    return encodeReturned(definition.name, () => toToolResult(parts, false))
  }
  return after(parseValue(output, parts.value), (parsed) => {
    if (parsed.success)
      return encodeReturned(definition.name, () => toToolResult({ ...parts, value: parsed.data }, true))
    const issues = describeIssues(parsed.issues, parts.value)
    throw new Error(`tool ${definition.name} returned what its output schema refuses: ${issues}`)
  })
}

/** JSON.stringify names neither the handler nor what is wrong with it (a BigInt, a cycle). */
function encodeReturned<Encoded>(name: string, encode: () => Encoded): Encoded {
  try {
    return encode()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`${name} returned what can't be written as JSON: ${why}`, { cause })
  }
}

function formatError(
  { formatError, log }: Serving,
  error: ToolError,
  { definition, output }: Tool,
): ToolResult | undefined {
  try {
    return formatError?.(error, { name: definition.name, hasOutputSchema: output !== undefined })
  } catch (failure) {
    log.error({ err: failure, tool: definition.name }, 'formatError failed')
    return undefined
  }
}

/** What the agent may read of an error: a refusal as it is, anything unknown only as `internal`. */
function toToolError(error: unknown, context: Context, { log }: Serving, name: string): ToolError {
  if (error instanceof ToolError) return error
  if (context.signal.aborted) return abortedError(context.signal.reason)
  if (error instanceof CallFailure) {
    const { code, message, retryable, retryAfterMs } = error
    return new ToolError(code, message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  log.error({ err: error, name, callId: context.callId }, 'handler failed')
  return new ToolError('internal', `${name} failed for a reason of its own; its log tells more.`)
}

/** Whatever a handler throws once it was aborted is the abort's doing. */
function abortedError(reason: unknown): ToolError {
  if (!(reason instanceof CallAborted)) return new ToolError('cancelled', 'The call was aborted.')
  switch (reason.reason) {
    case 'deadline_exceeded':
      return new ToolError('deadline_exceeded', reason.message)
    case 'draining':
    case 'stopped':
      return new ToolError('outcome_unknown', reason.message)
    default:
      return new ToolError('cancelled', reason.message)
  }
}

async function answer(serving: Serving, request: Request, params: Params, context: Context): Promise<unknown> {
  const { catalogue } = serving
  switch (request.method) {
    case 'tools/call':
      throw new RpcError(invalidParams, `Unknown tool: ${request.name}`)
    case 'resources/read':
      return readResource(serving, request.name, context)
    case 'prompts/get':
      return getPrompt(catalogue, request.name, params, context)
    case 'completion/complete':
      return complete(catalogue, request.name, params, context)
    default:
      throw new RpcError(methodNotFound, `Unknown method: ${String(request.method satisfies never)}`)
  }
}

async function readResource({ catalogue, kept }: Serving, uri: string, context: Context): Promise<unknown> {
  if (isKeptUri(uri)) return { contents: [kept.read(ownerOf(context.caller), uri) ?? notFound(uri)] }
  const found = catalogue.findReader(uri) ?? notFound(uri)
  return toReadResult(await found.read(uri, found.variables, context), uri, found.spec.mimeType)
}

function notFound(uri: string): never {
  throw new RpcError(invalidParams, `Resource not found: ${uri}`, { uri })
}

async function getPrompt(catalogue: Catalogue, name: string, params: Params, context: Context): Promise<unknown> {
  const prompt = catalogue.prompts.get(name)
  if (prompt === undefined) throw new RpcError(invalidParams, `Unknown prompt: ${name}`)
  const given = texts(params['arguments'])
  const missing = (prompt.spec.arguments ?? []).filter(
    (argument) => argument.required && given[argument.name] === undefined,
  )
  if (missing.length > 0) {
    throw new RpcError(invalidParams, missing.map((argument) => `${argument.name}: required`).join('; '))
  }
  return toPromptMessages(await prompt.get(given, context), name)
}

async function complete(catalogue: Catalogue, reference: string, params: Params, context: Context): Promise<unknown> {
  const completer = catalogue.prompts.get(reference)?.spec.complete ?? catalogue.templates.get(reference)?.complete
  if (completer === undefined) throw new RpcError(invalidParams, `Nothing to complete for: ${reference}`)
  const { name, value } = texts(params['argument'])
  const known = isRecord(params['context']) ? texts(params['context']['arguments']) : {}
  if (name === undefined) throw new RpcError(invalidParams, 'argument.name: required')
  const completion = await completer({ argument: name, value: value ?? '', known }, context)
  const {
    values,
    total,
    hasMore = false,
  } = isList(completion) ? { values: completion, total: completion.length } : completion
  return {
    completion: {
      values: values.slice(0, completionValuesMax),
      ...(total === undefined ? {} : { total }),
      hasMore: hasMore || values.length > completionValuesMax,
    },
  }
}

const invalidParams = -32_602
const methodNotFound = -32_601
const internalError = -32_603
/** Of 2026-07-28: the request needs what its client did not declare. */
const missingCapability = -32_021
/** JSON-RPC leaves -32000 to -32099 to servers: a refusal of this worker's own, told apart by `data.error.code`. */
const refused = -32_000

/** Only tools have results with `isError`; for everything else a refusal is a JSON-RPC error. */
function asRpcError(error: ToolError, { method, name }: Request): RpcError {
  if (error.code === 'not_found' && method === 'resources/read') {
    return new RpcError(invalidParams, error.message, { uri: name })
  }
  const { code, message, retryable, retryAfterMs, details } = error
  const data = {
    error: { ...details, code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  }
  if (code === 'invalid_argument' || code === 'not_found') return new RpcError(invalidParams, message, data)
  return new RpcError(code === 'internal' ? internalError : refused, message, data)
}

/** A result's bytes, refused here when the hub would refuse them. */
function requireFit(body: Uint8Array): Uint8Array {
  if (body.byteLength <= bodyBytesMax) return body
  throw new ToolError(
    'result_too_large',
    `The result has ${body.byteLength} bytes; ${bodyBytesMax} is the most. Ask for less.`,
  )
}

/** The first that is JSON and fits: an author's error details may be neither. The last one always is. */
function firstBody(shapes: readonly (() => unknown)[]): Uint8Array {
  for (const shape of shapes) {
    try {
      return requireFit(encodeJson(shape()))
    } catch {}
  }
  return encodeJson({})
}

function cut(message: string): string {
  return message.slice(0, textLengthMax)
}

/** Array.isArray does not tell a readonly array from anything else. */
function isList(completion: readonly string[] | Completion): completion is readonly string[] {
  return Array.isArray(completion)
}

function texts(value: unknown): { readonly [name: string]: string } {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
