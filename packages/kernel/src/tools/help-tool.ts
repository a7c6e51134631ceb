import { ToolError, type ToolSpec, text } from '@callboard/worker'
import { z } from 'zod'
import type { KernelConfig } from '../config.js'
import { helpText, type RegisteredTool, unknownTopic } from './help.js'

const helpInput = z.object({
  topic: z
    .string()
    .max(200)
    .nullish()
    .describe('overview, api, session, scheduler, examples or the name of a tool; absent: overview.'),
})

export const helpSpec = {
  title: 'Help',
  description: 'Get vibeweaver documentation',
  input: helpInput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof helpInput, z.ZodUnknown>

export function help(topic: string | null | undefined, tools: readonly RegisteredTool[], config: KernelConfig) {
  const found = helpText(topic ?? 'overview', { tools, config })
  if (found === undefined) throw new ToolError('invalid_argument', unknownTopic(topic ?? '', tools))
  return text(found)
}
