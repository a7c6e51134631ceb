import { replayMs } from '../limits.js'
import { hashOf, type RunRow } from '../records/run-records.js'
import type { NameChanges, Runtime } from '../runtime/runtime.js'
import { CellRun } from './cell-run.js'

export type ReplayLevel = 'none' | 'setup' | 'all'

export interface ReplayOutcome {
  readonly status: 'ok' | 'stopped'
  /** Runs whose code was executed again, wholly or its setup part. */
  readonly runs: number
  /** The run at which it stopped, and why; null if it went through. */
  readonly stopped_at: number | null
  readonly error: string | null
}

/**
 * Runs the code of earlier runs again, oldest first, under their own numbers, so that tracebacks name them. `setup` takes of
 * each only imports, functions, classes and assignments of constants. Stops at the first that does not end well.
 */
export async function replay(
  runtime: Runtime,
  rows: readonly RunRow[],
  level: Exclude<ReplayLevel, 'none'>,
  onNames: (names: NameChanges) => void,
): Promise<ReplayOutcome> {
  const endsBy = Date.now() + replayMs
  let runs = 0
  const outcome = (stop?: { readonly at: number; readonly error: string }): ReplayOutcome => ({
    status: stop ? 'stopped' : 'ok',
    runs,
    stopped_at: stop?.at ?? null,
    error: stop?.error ?? null,
  })
  for (const row of rows) {
    const stop = (error: string) => outcome({ at: row.runId, error })
    if (hashOf(row.code) !== row.codeHash) return stop('The stored text of its code is not what ran.')
    const code = level === 'all' ? row.code : await setupOf(runtime, row.code)
    if (code === '') continue
    const leftMs = endsBy - Date.now()
    if (leftMs <= 0) return stop(`The ${replayMs / 1000} s of a replay were over.`)
    const ended = await new CellRun(runtime, { run: row.runId, code, resultMode: 'none' }).execute(leftMs)
    runs += 1
    if (ended.kind === 'died') return stop('The kernel died.')
    onNames(ended.finished.names)
    if (ended.finished.outcome !== 'ok') return stop(ended.finished.error ?? ended.finished.outcome)
  }
  return outcome()
}

async function setupOf(runtime: Runtime, code: string): Promise<string> {
  return String((await runtime.python?.ask('setup_of', { code })) ?? '')
}
