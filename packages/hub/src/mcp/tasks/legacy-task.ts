import { pollIntervalMs } from './limits.js'
import type { Task, TaskState } from './task.js'
import { isoTime } from './task-context.js'

/** `Task` of MCP 2025-11-25. */
export function legacyTask({ id, state, message, createdAt, updatedAt, ttlMs }: Task) {
  return {
    taskId: id,
    status: statusOf(state),
    ...(message !== undefined && { statusMessage: message }),
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    ttl: ttlMs,
    ...(state.kind !== 'over' && { pollInterval: pollIntervalMs }),
  }
}

function statusOf(state: TaskState) {
  switch (state.kind) {
    case 'working':
      return 'working'
    case 'asking':
      return 'input_required'
    case 'over':
      if (state.end === 'cancel') return 'cancelled'
      // Unlike later, a tool's own error counts as a failure of the task.
      return state.outcome.kind === 'result' && !state.outcome.isError ? 'completed' : 'failed'
    default:
      return state satisfies never
  }
}
