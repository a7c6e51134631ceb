import { ToolError, type ToolSpec, text } from '@callboard/worker'
import { z } from 'zod'
import { type HelpSource, helpText, unknownTopic } from './help.js'

const helpInput = z.object({
  topic: z
    .string()
    .max(200)
    .nullish()
    .describe(
      'overview, api, session, scheduler, examples, or the name of a tool or of a Python call; absent: overview.',
    ),
})

export const helpSpec = {
  title: 'Help',
  description: 'Get vibeweaver documentation: overview, api, session, scheduler, examples, or a tool or Python name.',
  input: helpInput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof helpInput, z.ZodUnknown>

export function help(topic: string | null | undefined, source: HelpSource) {
  const found = helpText(topic ?? 'overview', source)
  if (found === undefined) throw new ToolError('invalid_argument', unknownTopic(topic ?? '', source))
  return text(found)
}
