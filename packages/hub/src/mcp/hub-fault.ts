import { ProtocolError } from '@modelcontextprotocol/server'
import type { AgentRequest } from './agent-request.js'
import { internalError } from './json-rpc.js'
import type { Logger } from './logger.js'

/** Logged whole; the agent learns no more than that it was us. What the protocol wants to say stays as it is. */
export function withoutHubFault(
  error: unknown,
  { method, name }: Pick<AgentRequest, 'method' | 'name'>,
  log: Logger,
): ProtocolError {
  if (error instanceof ProtocolError) return error
  log.error({ err: error, method, name }, 'a call failed inside the hub')
  return new ProtocolError(internalError, 'Internal error')
}
