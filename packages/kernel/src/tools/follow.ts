import { type Content, type Context, result, text } from '@callboard/worker'
import { ProgressReport } from '../kernel/progress-report.js'
import type { Run } from '../kernel/run.js'
import type { RunReport } from '../kernel/run-report.js'
import { deadlineMarginMs } from '../limits.js'
import { shownContent } from '../output/run-images.js'
import type { Spool } from '../output/spool.js'
import type { RunRow } from '../records/run-records.js'
import type { Attendance } from './attendance.js'

/**
 * Waits for the end of a run as part of one MCP call, at most so long and never up to the call's deadline, and shows its
 * output meanwhile. The run does not notice when the wait is over. Beyond the waits that its owner may have, answers at once.
 */
export async function follow(run: Run, context: Context, waitMs: number, attendance: Attendance): Promise<RunReport> {
  const leave = attendance.enter(run.spec.owner)
  const patienceMs = leave ? Math.max(0, Math.min(waitMs, context.deadline - Date.now() - deadlineMarginMs)) : 0
  const { signal } = context
  const progress = progressOf(run, context)
  const unwatch = progress && run.watch(() => progress.changed())
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  const over = new Promise<void>((resolve) => {
    stop = () => resolve()
    timer = setTimeout(stop, patienceMs)
    signal.addEventListener('abort', stop)
  })
  if (signal.aborted) stop()
  await Promise.race([run.ended, over])
  leave?.()
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  unwatch?.()
  progress?.stop()
  return run.report()
}

/** The code's own failure is no error of the tool; a failure of the tool travels in `failure` and in `_meta`. */
export function runResult(report: RunReport, shown: readonly Content[]) {
  const { failure } = report
  return result<RunReport>({
    value: report,
    content: [text(JSON.stringify(report)), ...shown],
    ...(failure && { isError: true, meta: { 'callboard/error': failure } }),
  })
}

/** What the run has shown, once it has ended: a call that comes back before leaves it to the one that waits to the end. */
export async function shownBy(run: Run): Promise<readonly Content[]> {
  const { images } = run.output
  if (!run.isEnded || !images || images.count === 0) return []
  await images.settled()
  return shownContent(images.runFolder, run.id)
}

/** Of a run that this process no longer holds. */
export async function shownOf({ owner, runId, spool: folder }: RunRow, spool: Spool): Promise<readonly Content[]> {
  return folder === null ? [] : shownContent(spool.run(owner, runId).path, runId)
}

function progressOf(run: Run, context: Context): ProgressReport | undefined {
  if (!context.client.progress) return undefined
  return new ProgressReport(
    (seconds, message) => context.progress(seconds, undefined, message),
    () => run.output,
  )
}
