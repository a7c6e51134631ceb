import {
  type JSONRPCRequest,
  ProtocolError,
  RELATED_TASK_META_KEY,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { parseAgentRequest } from '../agent-request.js'
import { toResult } from '../agent-result.js'
import { askClient, InputFailure, type InputRequest, unanswerable } from '../input-requests.js'
import { internalError, invalidParams, isRecord, methodNotFound } from '../json-rpc.js'
import { pageOf } from '../pagination.js'
import { calledTool } from './called-tool.js'
import { LegacyAudience } from './legacy-audience.js'
import { legacyTask } from './legacy-task.js'
import * as limits from './limits.js'
import type { FinalOutcome, Task } from './task.js'
import { noRoom, type TaskContext, taskNamedBy } from './task-context.js'

/** The only revision whose core has tasks, and what `initialize` says of them there. */
export const taskRevision = '2025-11-25'
export const legacyTaskCapability = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }

/** Tasks as MCP 2025-11-25 has them: the client asks for one by `params.task`. */
export class LegacyTasks {
  readonly #context: TaskContext
  /** Of the tasks that were asked for on this wire and are not over. */
  readonly #audiences = new Map<string, LegacyAudience>()

  constructor(context: TaskContext) {
    this.#context = context
  }

  /** Undefined: not a matter of tasks. */
  answer(request: JSONRPCRequest, ctx: ServerContext): Promise<Result> | undefined {
    if (this.#context.server.getNegotiatedProtocolVersion() !== taskRevision) return undefined
    switch (request.method) {
      case 'tools/call':
        return this.#call(request, ctx)
      case 'tasks/get':
        return this.#get(request)
      case 'tasks/list':
        return this.#list(request)
      case 'tasks/cancel':
        return this.#cancel(request)
      case 'tasks/result':
        return this.#result(request, ctx)
      default:
        return undefined
    }
  }

  #call(request: JSONRPCRequest, ctx: ServerContext): Promise<Result> | undefined {
    if (request.params?.['task'] === undefined) {
      const called = calledTool(request, this.#context.connection)
      if (called.support !== 'required') return undefined
      const name = String(called.request.params?.['name'])
      throw new ProtocolError(methodNotFound, `${name} runs as a task only: call it with params.task`)
    }
    // The worker knows nothing of tasks.
    const { task, ...params } = request.params
    return this.#start(task, { ...request, params }, ctx)
  }

  async #start(asked: unknown, request: JSONRPCRequest, ctx: ServerContext): Promise<Result> {
    const { connection, tasks, server } = this.#context
    const ttlMs = ttlOf(asked)
    // A tool whose worker is still on its way is not unknown.
    await connection.catalogueKnown()
    const { request: direct, support, isThroughSearch, problem } = calledTool(request, connection)
    if (problem !== undefined) throw new ProtocolError(invalidParams, problem)
    const parsed = parseAgentRequest(direct)
    if (support === undefined) return toResult({ kind: 'unknown' }, parsed, this.#context)
    if (support === 'forbidden' && !isThroughSearch) {
      throw new ProtocolError(methodNotFound, `${parsed.name} does not run as a task: call it without params.task`)
    }
    const audience = new LegacyAudience(server, parsed.progressToken, ({ id }) => this.#audiences.delete(id))
    const client = this.#context.describe(ctx)
    const { identity } = connection
    const task = tasks.start({ identity, request: parsed, client, ...(ttlMs !== undefined && { ttlMs }), audience })
    if (task === undefined) throw noRoom()
    this.#audiences.set(task.id, audience)
    return { task: legacyTask(task) }
  }

  async #get({ params }: JSONRPCRequest): Promise<Result> {
    return legacyTask(taskNamedBy(params, this.#context))
  }

  async #list({ params }: JSONRPCRequest): Promise<Result> {
    const { tasks, connection, pageSize } = this.#context
    const cursor = params?.['cursor']
    if (cursor !== undefined && typeof cursor !== 'string') throw new ProtocolError(invalidParams, 'Invalid cursor')
    const all = tasks.list(connection.identity).map(legacyTask)
    const { entries, nextCursor } = pageOf('tasks', all, ({ taskId }) => taskId, cursor, pageSize)
    return { tasks: entries, ...(nextCursor !== undefined && { nextCursor }) }
  }

  async #cancel({ params }: JSONRPCRequest): Promise<Result> {
    const { tasks } = this.#context
    const task = taskNamedBy(params, this.#context)
    if (task.state.kind === 'over') {
      throw new ProtocolError(invalidParams, `Cannot cancel task: it is already ${legacyTask(task).status}`)
    }
    tasks.cancel(task, 'The task was cancelled by request.')
    return legacyTask(taskNamedBy(params, this.#context))
  }

  /** Stays open until the task is over; what a worker asks meanwhile is asked on its stream. */
  async #result({ params }: JSONRPCRequest, ctx: ServerContext): Promise<Result> {
    const { signal } = ctx.mcpReq
    let task = taskNamedBy(params, this.#context)
    const detach = this.#audiences.get(task.id)?.attach(ctx)
    try {
      while (task.state.kind !== 'over') {
        const change = this.#context.tasks.change(task, signal)
        if (task.state.kind === 'asking') await this.#ask(task, task.state.question.pending, ctx)
        if ((await change) === 'superseded') throw superseded()
        // Nobody reads the answer; the task goes on.
        if (signal.aborted) return {}
        task = taskNamedBy(params, this.#context)
      }
      return this.#finalResult(task, task.state.outcome)
    } finally {
      detach?.()
    }
  }

  #finalResult(task: Task, outcome: FinalOutcome): Result {
    this.#context.tasks.noteFetched(task)
    const result = toResult(outcome, { ...task.request, body: nothing }, this.#context)
    return { ...result, _meta: { ...result._meta, ...relatedTo(task) } }
  }

  /** Settles when the question is no longer this client's to answer. */
  async #ask(task: Task, pending: ReadonlyMap<string, InputRequest>, ctx: ServerContext): Promise<void> {
    const { tasks } = this.#context
    if (unanswerable(pending, this.#context.describe(ctx)).length > 0) return
    const superseded = tasks.claim(task)
    const signal = AbortSignal.any([ctx.mcpReq.signal, superseded])
    try {
      const related = [...pending].map(([key, request]) => [key, relating(request, task)] as const)
      const answers = await askClient(new Map(related), ctx.mcpReq.send, signal)
      if (!tasks.answer(task, answers)) tasks.refuse(task, 'The answers of the client are too large.')
    } catch (error) {
      if (!(error instanceof InputFailure)) throw error
      // A client that went away may come back and be asked again; one that answers with an error has answered.
      if (!signal.aborted) tasks.refuse(task, error.message)
    }
  }
}

const nothing = Buffer.alloc(0)

/** @throws ProtocolError -32602 */
function ttlOf(asked: unknown): number | undefined {
  const ttl = isRecord(asked) ? asked['ttl'] : null
  if (ttl === undefined || (typeof ttl === 'number' && Number.isFinite(ttl) && ttl >= 0)) return ttl
  throw new ProtocolError(invalidParams, 'Invalid params: "task" must be an object, and its "ttl" milliseconds')
}

function relatedTo({ id }: Task): Record<string, unknown> {
  return { [RELATED_TASK_META_KEY]: { taskId: id } }
}

function relating(request: InputRequest, task: Task): InputRequest {
  const meta = isRecord(request.params?.['_meta']) ? request.params['_meta'] : {}
  return { ...request, params: { ...request.params, _meta: { ...meta, ...relatedTo(task) } } }
}

function superseded(): ProtocolError {
  const message = `More than ${limits.waitersPerTaskMax} requests wait for this task: this one was the first`
  return new ProtocolError(internalError, message)
}
