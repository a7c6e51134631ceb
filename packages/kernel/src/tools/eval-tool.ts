import type { Context, ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { KernelConfig } from '../config.js'
import type { Agent } from '../kernel/agent.js'
import type { EvalRequest } from '../kernel/kernel.js'
import type { Run } from '../kernel/run.js'
import { type RunReport, storedReport } from '../kernel/run-report.js'
import { codeLengthMax, foregroundSMax, idempotencyKeyLengthMax, timeoutSMax } from '../limits.js'
import type { House } from '../open-house.js'
import type { Attendance } from './attendance.js'
import { elsewhere } from './find-run.js'
import { follow, runResult, shownBy, shownOf } from './follow.js'
import { kernelField, runOutput, waitField } from './run-schemas.js'

/** An agent knows the defaults in force from the schema alone, so it tells those of this configuration. */
const evalInputFor = (defaults: KernelConfig) =>
  z.object({
    code: z
      .string()
      .max(codeLengthMax)
      .describe(
        'Source code. Names stay for later calls; the value of a last expression is returned; top-level await works.',
      ),
    kernel: kernelField,
    runtime: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('On the first run of a kernel: python3 (if absent) or an installed Jupyter kernelspec.'),
    foreground_s: waitField.describe(
      `Seconds to wait for the end (${defaults.foregroundS} if absent); then the code goes on and weave_wait continues. At most ${foregroundSMax}.`,
    ),
    timeout_s: z
      .number()
      .positive()
      .max(timeoutSMax)
      .nullish()
      .describe(
        `Seconds of running time, then the code is interrupted (${defaults.defaultTimeoutMs / 1000} if absent).`,
      ),
    result_mode: z
      .enum(['last', 'all', 'none'])
      .nullish()
      .describe('last (if absent): value of the last expression. all: of every top-level expression. none: no value.'),
    idempotency_key: z
      .string()
      .min(1)
      .max(idempotencyKeyLengthMax)
      .nullish()
      .describe('The same key with the same code answers with the same run, for 24 hours; it never runs twice.'),
    expect_epoch: z.int().nullish().describe('Refuse if the kernel was started anew since this epoch.'),
    on_busy: z.enum(['queue', 'reject']).nullish().describe('queue (if absent): wait for earlier runs.'),
  })

export const evalSpecFor = (defaults: KernelConfig) =>
  ({
    title: 'Run code',
    description:
      'Execute Python code in vibeweaver kernel with persistent state: names, imports and background tasks stay for the next call. The value of a last expression comes back as its repr, prints in stdout and stderr, a traceback in error. Code that takes longer goes on: call weave_wait with the run_id, never send the code again.',
    input: evalInputFor(defaults),
    output: runOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  }) satisfies ToolSpec<EvalInput, typeof runOutput>

type EvalInput = ReturnType<typeof evalInputFor>

export async function runEval(input: z.output<EvalInput>, context: Context, agent: Agent, house: House) {
  const kernel = house.pool.kernelOf(agent, input.kernel)
  const submitted = await kernel.submit(requestOf(input, context, agent, house.config))
  const waitMs = (input.foreground_s ?? house.config.foregroundS) * 1000
  if (submitted.kind === 'new') {
    const { run } = submitted
    const forsake = () => kernel.dequeue(run, 'The call was cancelled before the run started')
    context.signal.addEventListener('abort', forsake, { once: true })
    if (context.signal.aborted) forsake()
    try {
      const report = await attended(run, context, waitMs, house.attendance)
      return runResult(report, await shownBy(run))
    } finally {
      context.signal.removeEventListener('abort', forsake)
    }
  }
  const { row } = submitted
  const live = house.pool.findRun(agent.owner, row.runId)
  if (!live && (row.status === 'queued' || row.status === 'running')) throw elsewhere(row)
  const report = live ? await follow(live.run, context, waitMs, house.attendance) : storedReport(row)
  const shown = live ? await shownBy(live.run) : await shownOf(row, house.spool)
  return runResult({ ...report, replayed: true }, shown)
}

/** While somebody waits for it, the code may call tools in the name of the caller. */
async function attended(run: Run, context: Context, waitMs: number, attendance: Attendance): Promise<RunReport> {
  run.liveCall = {
    callTool: (name, args, signal) => context.call(name, args, { signal: AbortSignal.any([signal, context.signal]) }),
  }
  try {
    return await follow(run, context, waitMs, attendance)
  } finally {
    run.liveCall = undefined
  }
}

function requestOf(input: z.output<EvalInput>, context: Context, agent: Agent, config: KernelConfig): EvalRequest {
  const { runtime, expect_epoch } = input
  return {
    code: input.code,
    timeoutMs: typeof input.timeout_s === 'number' ? input.timeout_s * 1000 : config.defaultTimeoutMs,
    resultMode: input.result_mode ?? 'last',
    idempotencyKey: input.idempotency_key ?? context.idempotencyKey,
    onBusy: input.on_busy ?? 'queue',
    session: agent.session,
    // Jupyter knows its kernels without regard to case.
    ...(typeof runtime === 'string' && { runtime: runtime.toLowerCase() }),
    ...(typeof expect_epoch === 'number' && { expectEpoch: expect_epoch }),
  }
}
