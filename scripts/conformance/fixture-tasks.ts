import { setTimeout as elapsed } from 'node:timers/promises'
import { type Context, RpcError, result, type Worker } from '@callboard/worker'
import { z } from 'zod'

/** Tools that agents may, or must, call as tasks: ordinary ones but for that word, for the hub makes the tasks. */
export function offerTasks(worker: Worker): void {
  const nothing = z.object({})
  const optional = { taskSupport: 'optional' } as const
  const required = { taskSupport: 'required' } as const
  worker
    .tool('greet', { description: 'Greets', input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)
    .tool(
      'slow_compute',
      {
        description: 'Takes its time',
        input: z.object({ seconds: z.number().min(0).max(60), label: z.string().optional() }),
        execution: optional,
      },
      async ({ seconds, label = 'it' }, { signal }) => {
        await elapsed(seconds * 1_000, undefined, { signal })
        return `Computed ${label} for ${seconds} s`
      },
    )
    .tool('failing_job', { description: 'Fails after a while', input: nothing, execution: required }, async () => {
      await elapsed(failureMs)
      return result({ content: { type: 'text', text: 'This job fails on purpose' }, isError: true })
    })
    .tool('protocol_error_job', { description: 'Breaks', input: nothing, execution: optional }, () => {
      throw new RpcError(-32_603, 'This job breaks on purpose')
    })
    .tool(
      'confirm_delete',
      {
        description: 'Asks before it pretends to delete',
        input: z.object({ filename: z.string() }),
        execution: optional,
      },
      async ({ filename }, context) => ((await confirmed(context, `Delete ${filename}?`)) ? 'Deleted' : 'Kept'),
    )
    .tool(
      'multi_input',
      { description: 'Asks twice at once', input: nothing, execution: optional },
      async (_, context) => String(await Promise.all([confirmed(context, 'One?'), confirmed(context, 'Two?')])),
    )
}

/** Long enough for the suite to see the task at work. */
const failureMs = 1_000

async function confirmed({ elicit }: Context, message: string): Promise<boolean> {
  const properties = { confirm: { type: 'boolean' } }
  const { content } = await elicit({ message, requestedSchema: { type: 'object', properties } })
  return content?.['confirm'] === true
}
