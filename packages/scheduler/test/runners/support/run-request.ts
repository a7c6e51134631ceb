import type { Group } from '../../../src/groups/group.js'
import type { RunRequest } from '../../../src/runners/runner.js'

export const runToken = 'cbt_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

/** A run of the group `lab`. */
export function runRequest(overrides: Partial<RunRequest> & { readonly runner?: Group['runner'] } = {}): RunRequest {
  const { runner, ...rest } = overrides
  return {
    runId: 'run_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    attempt: 1,
    idempotencyKey: 'task_01JZZZZZZZZZZZZZZZZZZZZZZZ@2026-03-02T12:00:00Z',
    group: labGroup(runner),
    contextMode: 'group',
    prompt: 'Look after the lab.',
    token: runToken,
    timeoutMs: 600_000,
    onProcess: async () => {},
    ...rest,
  }
}

export function labGroup(runner?: Group['runner']): Group {
  return {
    folder: 'lab',
    tag: 'lab',
    name: 'lab',
    isAdmin: false,
    envAllow: [],
    ...(runner !== undefined && { runner }),
  }
}
