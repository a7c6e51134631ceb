import type { Context, ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { Agent } from '../kernel/agent.js'
import { storedReport } from '../kernel/run-report.js'
import { foregroundSMax } from '../limits.js'
import type { House } from '../open-house.js'
import { findRun } from './find-run.js'
import { follow, runResult, shownBy, shownOf } from './follow.js'
import { kernelField, runIdField, runOutput, waitField } from './run-schemas.js'

const waitInput = z.object({
  run_id: runIdField,
  kernel: kernelField,
  timeout_s: waitField.describe(`Seconds to wait (40 if absent, or as configured), at most ${foregroundSMax}.`),
})

export const waitSpec = {
  title: 'Wait for a run',
  description:
    'Wait for the end of a run that weave_eval left running. Answers as weave_eval, at the end or at timeout.',
  input: waitInput,
  output: runOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof waitInput, typeof runOutput>

export async function waitForRun(input: z.output<typeof waitInput>, context: Context, agent: Agent, house: House) {
  const found = await findRun(input, agent, house.pool, house.runs)
  if (found.kind === 'stored') return runResult(storedReport(found.row), await shownOf(found.row, house.spool))
  const report = await follow(found.run, context, (input.timeout_s ?? house.config.foregroundS) * 1000)
  return runResult(report, await shownBy(found.run))
}
