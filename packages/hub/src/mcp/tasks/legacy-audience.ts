import type { LogLevel } from '@callboard/protocol'
import { RELATED_TASK_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { parseBody } from '../agent-result.js'
import { legacyTask } from './legacy-task.js'
import type { Task } from './task.js'
import type { TaskAudience } from './tasks.js'

/**
 * The client that asked for a task, on the wire on which it did: it is told by the stream of its latest `tasks/result`, or
 * else by whatever stream it keeps open. After a reconnection the token would be another's, so there is nobody to tell.
 */
export class LegacyAudience implements TaskAudience {
  readonly #server: Server
  readonly #progressToken: string | number | undefined
  readonly #onOver: (task: Task) => void
  readonly #streams = new Set<ServerContext>()

  constructor(server: Server, progressToken: string | number | undefined, onOver: (task: Task) => void) {
    this.#server = server
    this.#progressToken = progressToken
    this.#onOver = onOver
  }

  /** Until the returned function is called. */
  attach(stream: ServerContext): () => void {
    this.#streams.add(stream)
    return () => this.#streams.delete(stream)
  }

  changed(task: Task): void {
    this.#notify('notifications/tasks/status', legacyTask(task))
    if (task.state.kind === 'over') this.#onOver(task)
  }

  progress(task: Task, body: Uint8Array): void {
    const params = parseBody(body)
    if (this.#progressToken === undefined || typeof params?.['progress'] !== 'number') return
    this.#notify('notifications/progress', { ...params, progressToken: this.#progressToken, ...relatedTo(task) })
  }

  logged(task: Task, level: LogLevel, body: Uint8Array): void {
    const params = parseBody(body)
    if (params !== undefined && 'data' in params) {
      this.#notify('notifications/message', { ...params, level, ...relatedTo(task) })
    }
  }

  /** A client that is gone misses it. */
  #notify(method: string, params: Record<string, unknown>): void {
    const stream = [...this.#streams].at(-1)
    const sent = stream?.mcpReq.notify({ method, params }) ?? this.#server.notification({ method, params })
    sent.catch(() => {})
  }
}

function relatedTo({ id }: Task) {
  return { _meta: { [RELATED_TASK_META_KEY]: { taskId: id } } }
}
