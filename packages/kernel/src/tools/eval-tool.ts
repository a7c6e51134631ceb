import { type Context, result, type ToolSpec } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import type { EvalRequest, Kernel } from '../kernel/kernel.js'
import { ProgressReport } from '../kernel/progress-report.js'
import type { RunReport } from '../kernel/run-report.js'
import { evalInput, evalOutput } from './schemas.js'

export const evalSpec = {
  title: 'Run Python',
  description:
    'Execute Python code in vibeweaver kernel with persistent state: names, imports and background tasks stay for the next call. The value of a last expression comes back as its repr, prints in stdout and stderr, a traceback in error.',
  input: evalInput,
  output: evalOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  // The hub's longest; `timeout_s` ends the code long before.
  timeoutMs: 3_600_000,
} satisfies ToolSpec<typeof evalInput, typeof evalOutput>

export async function runEval(
  input: { readonly code: string; readonly timeout_s?: number | null | undefined },
  context: Context,
  kernel: Kernel,
  config: KernelConfig,
) {
  const progress = context.client.progress
    ? new ProgressReport(
        (seconds, message) => context.progress(seconds, undefined, message),
        () => kernel.output,
      )
    : undefined
  const request: EvalRequest = {
    code: input.code,
    timeoutMs: typeof input.timeout_s === 'number' ? input.timeout_s * 1000 : config.defaultTimeoutMs,
    deadline: () => context.deadline,
    signal: context.signal,
    ...(progress && { onOutput: () => progress.changed() }),
  }
  try {
    return evalResult(await kernel.evaluate(request))
  } finally {
    progress?.stop()
  }
}

/** The code's own failure is no error of the tool; a failure of the tool travels in `failure` and in `_meta`. */
export function evalResult(report: RunReport) {
  const { failure } = report
  if (!failure) return result<RunReport>({ value: report })
  return result<RunReport>({ value: report, isError: true, meta: { 'callboard/error': failure } })
}
