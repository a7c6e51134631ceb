import type { z } from 'zod'
import { invalidParameter } from './invalid-parameter.js'
import type { taskParameters } from './task-parameters.js'
import type { TaskDefinition } from './task-row.js'

type Given<Name extends keyof typeof taskParameters> = z.output<(typeof taskParameters)[Name]>

/** All that a caller can say of a task; what is undefined was not said. */
export type TaskInput = { readonly [Name in keyof typeof taskParameters]?: Given<Name> | undefined }

type RequiredInput = 'prompt' | 'schedule_type' | 'schedule_value'

/** Everything that is not said is as tasks are by default. Throws INVALID_ARGUMENT. */
export function defineTask(
  input: TaskInput & { readonly [Name in RequiredInput]: Given<Name> },
  timeZone: string,
): TaskDefinition {
  const { prompt, schedule_type, schedule_value } = input
  return redefineTask({ ...defaults, prompt, schedule_type, schedule_value, timezone: timeZone }, input)
}

/** Everything that is not said stays as it is. Throws INVALID_ARGUMENT. */
export function redefineTask(known: TaskDefinition, input: TaskInput): TaskDefinition {
  const schedule_type = input.schedule_type ?? known.schedule_type
  if (input.allow_past === true && schedule_type !== 'once') {
    throw invalidParameter('allow_past', true, `is for once only, not for ${schedule_type}`)
  }
  return {
    name: input.name ?? known.name,
    prompt: input.prompt ?? known.prompt,
    schedule_type,
    schedule_value: input.schedule_value ?? known.schedule_value,
    timezone: input.timezone ?? known.timezone,
    context_mode: input.context_mode ?? known.context_mode,
    missed: input.missed ?? known.missed,
    overlap: input.overlap ?? known.overlap,
    jitter_ms: input.jitter_ms ?? known.jitter_ms,
    expect: input.expect ?? known.expect,
    deliver: input.deliver ?? known.deliver,
    ...redefineCall(known, input),
  }
}

function redefineCall(known: TaskDefinition, input: TaskInput): Pick<TaskDefinition, 'tool' | 'args'> {
  const tool = input.tool ?? known.tool
  if (tool === null) {
    if (input.args !== undefined) throw invalidParameter('args', input.args, 'goes with tool, which is not given')
    return { tool, args: null }
  }
  if (input.args !== undefined) return { tool, args: JSON.stringify(input.args) }
  // Arguments of another tool say nothing to this one.
  return { tool, args: tool === known.tool ? known.args : '{}' }
}

const defaults = {
  name: null,
  context_mode: 'group',
  missed: 'latest',
  overlap: 'skip',
  jitter_ms: 0,
  expect: 'any',
  deliver: 'none',
  tool: null,
  args: null,
} as const
