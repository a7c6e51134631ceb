import type { Context } from '@callboard/worker'
import { refusal } from '../refusal.js'
import { toolsNotForTasks } from '../runners/tool-runner.js'
import { invalidParameter } from './invalid-parameter.js'

type HubTool = Awaited<ReturnType<Context['tools']>>[number]

/**
 * A direct call that the caller may make itself, with what the tool's schema asks for at its top level; the tool checks the
 * rest when it runs. Throws INVALID_ARGUMENT, NOT_FOUND.
 */
export async function checkToolCall(
  tool: string,
  args: { readonly [key: string]: unknown },
  context: Pick<Context, 'tools'>,
): Promise<void> {
  if (toolsNotForTasks.has(tool)) {
    throw invalidParameter('tool', tool, 'a task may not call the tools that make or change tasks')
  }
  const definition = (await context.tools()).find(({ name }) => name === tool)
  if (definition === undefined) {
    throw refusal('NOT_FOUND', `There is no tool ${JSON.stringify(tool)} that you may call.`, {
      hint: 'Give the name exactly as your list of tools has it.',
    })
  }
  checkArguments(definition, args)
}

function checkArguments({ name, inputSchema }: HubTool, args: { readonly [key: string]: unknown }): void {
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'] : []
  const missing = required.filter((field) => typeof field === 'string' && !Object.hasOwn(args, field))
  if (missing.length > 0) throw invalidParameter('args', args, `${name} requires ${missing.join(', ')}`)
  if (inputSchema['additionalProperties'] !== false || inputSchema['patternProperties'] !== undefined) return
  const known = Object.keys((inputSchema['properties'] as object | undefined) ?? {})
  const unknown = Object.keys(args).filter((field) => !known.includes(field))
  if (unknown.length > 0) {
    throw invalidParameter(
      'args',
      args,
      `${name} has no ${unknown.join(', ')}; it has ${known.join(', ') || 'no parameters'}`,
    )
  }
}
