import type { JSONRPCRequest, Result, Server, ServerContext } from '@modelcontextprotocol/server'
import type { Era } from '../client-descriptor.js'
import { StrictServer } from '../strict-server.js'
import { LegacyTasks, legacyTaskCapability, taskRevision } from './legacy-tasks.js'
import { ModernTasks, tasksExtension } from './modern-tasks.js'
import type { TaskContext } from './task-context.js'

/** What a wire has of tasks. */
export interface ServedTasks {
  /** Undefined: the request is not a matter of tasks. */
  answer(request: JSONRPCRequest, ctx: ServerContext): Promise<Result> | undefined
}

/** In either era; which of them it has, its half of the tasks says. */
export function isTaskMethod(method: unknown): boolean {
  return typeof method === 'string' && method.startsWith('tasks/')
}

export function serveTasks(era: Era, context: TaskContext): ServedTasks {
  return era === 'modern' ? new ModernTasks(context) : new LegacyTasks(context)
}

/** Says of tasks what the revision has; `initialize` settles on that long after the server was made. */
export class TaskAwareServer extends StrictServer {
  readonly #era: Era

  constructor(era: Era, ...server: ConstructorParameters<typeof Server>) {
    super(...server)
    this.#era = era
  }

  override getCapabilities(): ReturnType<Server['getCapabilities']> {
    const capabilities = super.getCapabilities()
    if (this.#era === 'modern') {
      return { ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } }
    }
    return this.getNegotiatedProtocolVersion() === taskRevision
      ? { ...capabilities, ...legacyTaskCapability }
      : capabilities
  }
}
