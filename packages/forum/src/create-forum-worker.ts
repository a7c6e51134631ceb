import { defineWorker, packageVersion, WorkerProgram } from '@callboard/worker'
import { systemClock } from '@callboard/worker/clock'
import { formatToolError } from './failure/error-result.js'
import { concurrentCallsMax } from './limits.js'
import { type ForumOptions, openForum } from './open-forum.js'

/** What the worker is to the hub. */
export const forumService = {
  service: 'forum',
  concurrency: concurrentCallsMax,
  replicas: 'many',
  // What a session has selected is in one process.
  affinity: 'session',
  formatError: formatToolError,
} as const

/** The worker with its database. Rejects with a ForumConfigError or a StoreError. */
export async function createForumWorker(options: ForumOptions): Promise<WorkerProgram> {
  const worker = defineWorker({ ...forumService, version: packageVersion(import.meta.url) })
  return new WorkerProgram(worker, await openForum(worker, options, { clock: systemClock }))
}
