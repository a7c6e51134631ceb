import {
  type JSONRPCRequest,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Result,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { parseAgentRequest } from '../agent-request.js'
import { toResult } from '../agent-result.js'
import { declaresExtension } from '../client-descriptor.js'
import { invalidParams, isRecord } from '../json-rpc.js'
import { calledTool } from './called-tool.js'
import { pollIntervalMs } from './limits.js'
import type { FinalOutcome, Task } from './task.js'
import { isoTime, noRoom, type TaskContext, taskNamedBy } from './task-context.js'
import type { TaskAudience } from './tasks.js'

export const tasksExtension = 'io.modelcontextprotocol/tasks'

/**
 * Tasks as the extension to MCP 2026-07-28 has them: the hub decides that a call is one, for clients that know tasks and
 * tools that are made for it.
 */
export class ModernTasks {
  readonly #context: TaskContext

  constructor(context: TaskContext) {
    this.#context = context
    const { server } = context
    // The SDK knows these two names as those of another revision's core, and lets them pass only with a schema of ours.
    server.setRequestHandler('tasks/get', { params: anything }, (params, ctx) => this.#get(params, ctx))
    server.setRequestHandler('tasks/cancel', { params: anything }, (params, ctx) => this.#cancel(params, ctx))
  }

  /** Undefined: not a matter of tasks. */
  answer(request: JSONRPCRequest, ctx: ServerContext): Promise<Result> | undefined {
    switch (request.method) {
      case 'tools/call':
        return this.#call(request, ctx)
      case 'tasks/update':
        return this.#update(request, ctx)
      default:
        return undefined
    }
  }

  #call(request: JSONRPCRequest, ctx: ServerContext): Promise<Result> | undefined {
    const { request: direct, support = 'forbidden' } = calledTool(request, this.#context.connection)
    // A retry that brings input belongs to a call that is under way.
    if (support === 'forbidden' || ctx.mcpReq.requestState() !== undefined) return undefined
    if (declaresExtension(ctx, tasksExtension)) return this.#start(direct, support, ctx)
    if (support === 'required') throw undeclared(`${String(direct.params?.['name'])} runs as a task only`)
    return undefined
  }

  #start(request: JSONRPCRequest, support: 'optional' | 'required', ctx: ServerContext): Promise<Result> | undefined {
    const { connection, tasks } = this.#context
    const parsed = parseAgentRequest(request)
    // Log messages of tasks do not exist in this era.
    const { logLevel: _, ...client } = this.#context.describe(ctx)
    const task = tasks.start({ identity: connection.identity, request: parsed, client, audience: nobody })
    if (task !== undefined) return Promise.resolve({ resultType: 'task', ...this.#seed(task), status: 'working' })
    if (support === 'required') throw noRoom()
    // Without room for a task it is a call as any other.
    return undefined
  }

  async #get(params: unknown, ctx: ServerContext): Promise<Result> {
    this.#requireExtension(ctx)
    const task = taskNamedBy(params, this.#context)
    return { ...this.#seed(task), ...this.#details(task) }
  }

  async #update(request: JSONRPCRequest, ctx: ServerContext): Promise<Result> {
    this.#requireExtension(ctx)
    const task = taskNamedBy(request.params, this.#context)
    // The SDK takes them out of the params.
    const responses = ctx.mcpReq.inputResponses
    if (responses === undefined) throw new ProtocolError(invalidParams, 'Invalid params: "inputResponses" is missing')
    if (!this.#context.tasks.answer(task, responses)) {
      throw new ProtocolError(invalidParams, 'Invalid params: "inputResponses" is too large')
    }
    return {}
  }

  async #cancel(params: unknown, ctx: ServerContext): Promise<Result> {
    this.#requireExtension(ctx)
    this.#context.tasks.cancel(taskNamedBy(params, this.#context), 'The task was cancelled by request.')
    return {}
  }

  #seed({ id, message, createdAt, updatedAt, ttlMs }: Task) {
    return {
      taskId: id,
      ...(message !== undefined && { statusMessage: message }),
      createdAt: isoTime(createdAt),
      lastUpdatedAt: isoTime(updatedAt),
      ttlMs,
      pollIntervalMs,
    }
  }

  #details(task: Task): Record<string, unknown> {
    const { state } = task
    switch (state.kind) {
      case 'working':
        return { status: 'working' }
      case 'asking': {
        const asked = [...state.question.pending].map(([key, { kind: _, ...request }]) => [key, request])
        return { status: 'input_required', inputRequests: Object.fromEntries(asked) }
      }
      case 'over':
        return state.end === 'cancel' ? { status: 'cancelled' } : this.#end(task, state.outcome)
      default:
        return state satisfies never
    }
  }

  /** Only an error of the protocol is a failure of the task; a tool's own is a result. */
  #end(task: Task, outcome: FinalOutcome): Record<string, unknown> {
    this.#context.tasks.noteFetched(task)
    try {
      return { status: 'completed', result: toResult(outcome, { ...task.request, body: nothing }, this.#context) }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const { code, message, data } = error
      return { status: 'failed', error: { code, message, ...(data !== undefined && { data }) } }
    }
  }

  #requireExtension(ctx: ServerContext): void {
    if (!declaresExtension(ctx, tasksExtension)) throw undeclared('Tasks need the extension')
  }
}

const nothing = Buffer.alloc(0)

/** There is no stream for a task in this era: clients poll. */
const nobody: TaskAudience = { changed: () => {}, progress: () => {}, logged: () => {} }

const anything: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': { version: 1, vendor: 'callboard', validate: (value) => ({ value: isRecord(value) ? value : {} }) },
}

function undeclared(why: string): Error {
  const data = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } }
  return new MissingRequiredClientCapabilityError(data, `${why}, which the client did not declare (${tasksExtension})`)
}
