import type { Client } from '@callboard/protocol'
import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import type { ResultContext } from '../agent-result.js'
import { internalError, invalidParams, isRecord } from '../json-rpc.js'
import type { Task } from './task.js'
import type { Tasks } from './tasks.js'

/** What the methods of both eras need of the wire that they serve. */
export interface TaskContext extends ResultContext {
  readonly tasks: Tasks
  readonly pageSize: number
  readonly describe: (ctx: ServerContext) => Client
}

/** The same words for what never existed, has expired or is somebody else's. @throws ProtocolError -32602 */
export function taskNamedBy(params: unknown, { tasks, connection }: TaskContext): Task {
  const id = isRecord(params) ? params['taskId'] : undefined
  if (typeof id !== 'string') throw new ProtocolError(invalidParams, 'Invalid params: "taskId" must be a string')
  const task = tasks.find(connection.identity, id)
  if (task !== undefined) return task
  throw new ProtocolError(
    invalidParams,
    'Task not found: it has expired, went with a restart of the hub, or was never there',
  )
}

export function noRoom(): ProtocolError {
  const message = 'Too many tasks: fetch the results of those that are over, or wait until one has ended'
  return new ProtocolError(internalError, message, { code: 'overloaded', retryable: true })
}

export const isoTime = (ms: number): string => new Date(ms).toISOString()
