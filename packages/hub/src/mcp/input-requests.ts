import { randomUUID } from 'node:crypto'
import type { Client } from '@callboard/protocol'
import {
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { parseBody } from './agent-result.js'
import { capabilityFor, type InputKind, inputKindOf } from './client-descriptor.js'
import { isRecord } from './json-rpc.js'
import { inputRequestsMax, inputWaitMs } from './limits.js'
import { withoutWorkerForgery } from './reserved-meta.js'

export interface InputRequest {
  readonly method: string
  readonly params?: Record<string, unknown>
  readonly kind: InputKind
}

/** By the keys that the worker chose. */
export type InputRequests = ReadonlyMap<string, InputRequest>

/** A request of ours to a client. */
export type SendToClient = (
  request: { method: string; params?: Record<string, unknown> },
  schema: StandardSchemaV1<unknown, unknown>,
  options: { timeout: number; signal: AbortSignal },
) => Promise<unknown>

/** Why a call that asked for input ends without it. */
export class InputFailure extends Error {}

/** @throws InputFailure for a worker's body that asks for nothing, or for something that does not exist. */
export function parseInputRequests(body: Uint8Array): InputRequests {
  const asked = parseBody(body)?.['inputRequests']
  const entries = isRecord(asked) ? Object.entries(asked) : []
  if (entries.length === 0 || entries.length > inputRequestsMax) {
    throw new InputFailure(`a worker must ask for 1 to ${inputRequestsMax} inputs at once`)
  }
  return new Map(entries.map(([key, entry]) => [key, parseInputRequest(entry)]))
}

/** The requests that the client never said it could answer. `declared`: in its own words, where these are at hand. */
export function unanswerable(
  requests: InputRequests,
  client: Client,
  declared: ClientCapabilities = { sampling: { tools: {} } },
): InputRequest[] {
  return [...requests.values()].filter(
    (request) => !client.input.includes(request.kind) || (usesTools(request) && declared.sampling?.tools === undefined),
  )
}

/** -32021, which tells a modern client what it would have to declare. */
export function missingCapability(request: InputRequest): Error {
  const { method, kind } = request
  const data = { requiredCapabilities: usesTools(request) ? { sampling: { tools: {} } } : capabilityFor(kind) }
  return new MissingRequiredClientCapabilityError(
    data,
    `The call asks for ${method}, which the client did not declare (${kind})`,
  )
}

/**
 * Asks a legacy client by requests of our own, all at once, on the stream of the call.
 * @returns the answers by key, untouched. @throws InputFailure when one is refused or takes too long.
 */
export async function askClient(
  requests: InputRequests,
  send: SendToClient,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const round = new AbortController()
  const options = { timeout: inputWaitMs, signal: AbortSignal.any([signal, round.signal]) }
  const ask = async ([key, request]: [string, InputRequest]) => {
    try {
      return [key, await send(toClient(request), anyResult, options)] as const
    } catch (error) {
      round.abort()
      throw new InputFailure(`The client did not answer ${request.method}: ${(error as Error).message}`)
    }
  }
  return Object.fromEntries(await Promise.all([...requests].map(ask)))
}

function parseInputRequest(entry: unknown): InputRequest {
  const { method, params } = isRecord(entry) ? entry : {}
  const kind = typeof method === 'string' ? inputKindOf(method, params) : undefined
  if (kind === undefined) throw new InputFailure('a worker asked for an unknown kind of input')
  if (!isRecord(params) && !(params === undefined && kind === 'roots')) {
    throw new InputFailure(`a worker asked for ${String(method)} without params`)
  }
  return { method: method as string, ...(isRecord(params) && { params: withoutWorkerForgery(params) }), kind }
}

/** A model that is to use tools is more than a model. */
function usesTools({ kind, params }: InputRequest): boolean {
  return kind === 'sampling' && (params?.['tools'] !== undefined || params?.['toolChoice'] !== undefined)
}

/** The legacy form of a question with a URL carries an id, which the modern one has no more. */
function toClient({ method, params, kind }: InputRequest) {
  if (params === undefined) return { method }
  return { method, params: kind === 'url' ? { elicitationId: randomUUID(), ...params } : params }
}

/** What came back is for the worker to judge; no field of it may get lost here. */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'callboard', validate: (value) => ({ value }) },
}
