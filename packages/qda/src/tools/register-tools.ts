import type { Worker } from '@callboard/worker'
import type { Foundation } from '../foundation.js'

/** What the tools hold open. */
export interface RegisteredTools {
  /** Closes every project. Idempotent. */
  close(): Promise<void>
}

export function registerTools(_worker: Worker, _foundation: Foundation): RegisteredTools {
  return { close: async () => undefined }
}
