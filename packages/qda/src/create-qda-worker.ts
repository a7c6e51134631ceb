import { defineWorker, packageVersion, WorkerProgram } from '@callboard/worker'
import { systemClock } from '@callboard/worker/clock'
import { formatToolError } from './format-tool-error.js'
import { concurrentCallsMax } from './limits.js'
import { openQda, type QdaOptions } from './open-qda.js'

/** What the worker is to the hub. */
export const qdaService = {
  service: 'qda',
  concurrency: concurrentCallsMax,
  // A project has one connection, and its writes take turns.
  replicas: 'one',
  // Which project a session has open is in the process.
  affinity: 'session',
  formatError: formatToolError,
} as const

/** The worker with its database. Rejects with a QdaConfigError or a StoreError. */
export async function createQdaWorker(options: QdaOptions): Promise<WorkerProgram> {
  const worker = defineWorker({ ...qdaService, version: packageVersion(import.meta.url) })
  return new WorkerProgram(worker, await openQda(worker, options, { clock: systemClock }))
}
