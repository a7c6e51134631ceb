import { ToolError } from '@callboard/worker'
import type { z } from 'zod'
import type { Kernel } from '../kernel/kernel.js'
import { introspectMs, probeMs } from '../limits.js'

export const noProcess = 'No Python is running here, so there are no names yet; weave_eval starts it.'

/**
 * Asks the side thread of a kernel about names, also while a cell runs; undefined when there is no process, and never starts one.
 * Throws ToolErrors: `unavailable` for another runtime, and when C code holds the interpreter for over a second.
 */
export async function askPython<Answer extends z.ZodType>(
  kernel: Kernel | undefined,
  method: string,
  params: { readonly [name: string]: unknown },
  answer: Answer,
): Promise<z.output<Answer> | undefined> {
  const runtime = kernel?.runtime
  if (!runtime) return undefined
  if (!runtime.python) {
    throw new ToolError('unavailable', `Names can be read in Python only; this kernel runs ${runtime.description}.`)
  }
  // A short question first: whether the interpreter is free is known within a second, however long the answer takes.
  await runtime.python.ask('ping', {}, probeMs)
  const answered = answer.safeParse(await runtime.python.ask(method, params, introspectMs))
  if (answered.success) return answered.data
  // Code in the kernel can write to its connection, and harms only itself.
  throw new ToolError('unavailable', 'What Python answered cannot be read; weave_reset makes a new process.')
}
