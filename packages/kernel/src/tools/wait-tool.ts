import type { Context, ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { KernelConfig } from '../config.js'
import type { Agent } from '../kernel/agent.js'
import { storedReport } from '../kernel/run-report.js'
import { foregroundSMax } from '../limits.js'
import type { House } from '../open-house.js'
import { findRun } from './find-run.js'
import { follow, runResult, shownBy, shownOf } from './follow.js'
import { kernelField, runIdField, runOutput, waitField } from './run-schemas.js'

const waitInputFor = (defaults: KernelConfig) =>
  z.object({
    run_id: runIdField,
    kernel: kernelField,
    timeout_s: waitField.describe(`Seconds to wait (${defaults.foregroundS} if absent), at most ${foregroundSMax}.`),
  })

export const waitSpecFor = (defaults: KernelConfig) =>
  ({
    title: 'Wait for a run',
    description:
      'Wait for the end of a run that weave_eval left running. Answers as weave_eval, at the end or at timeout.',
    input: waitInputFor(defaults),
    output: runOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }) satisfies ToolSpec<WaitInput, typeof runOutput>

type WaitInput = ReturnType<typeof waitInputFor>

export async function waitForRun(input: z.output<WaitInput>, context: Context, agent: Agent, house: House) {
  const found = await findRun(input, agent, house.pool, house.runs)
  if (found.kind === 'stored') return runResult(storedReport(found.row), await shownOf(found.row, house.spool))
  const report = await follow(
    found.run,
    context,
    (input.timeout_s ?? house.config.foregroundS) * 1000,
    house.attendance,
  )
  return runResult(report, await shownBy(found.run))
}
