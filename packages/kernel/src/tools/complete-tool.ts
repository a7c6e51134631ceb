import { result, type ToolSpec, text } from '@callboard/worker'
import { z } from 'zod'
import type { Kernel } from '../kernel/kernel.js'
import { completeCodeLengthMax } from '../limits.js'
import { askPython, noProcess } from './ask-python.js'
import { kernelField } from './run-schemas.js'

export const completeInput = z.object({
  code: z.string().max(completeCodeLengthMax).describe('Python source, complete or not.'),
  cursor: z
    .int()
    .min(0)
    .nullish()
    .describe('Where to complete, in code points from 0; absent: at the end of the code.'),
  kernel: kernelField,
})

const answer = z.object({
  matches: z.array(z.string()).describe('What may stand between start and end; at most 100.'),
  total: z.int(),
  start: z.int().describe('In code points.'),
  end: z.int().describe('In code points; the cursor.'),
})

export const completeOutput = answer.extend({ notice: z.string().nullable() })

export const completeSpec = {
  title: 'Complete code',
  description:
    'Names, attributes, keywords and modules that fit at a cursor. Works while a cell runs; runs none of your code; never starts Python.',
  input: completeInput,
  output: completeOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof completeInput, typeof completeOutput>

export async function completeCode(input: z.output<typeof completeInput>, kernel: Kernel | undefined) {
  const { code, cursor = null } = input
  const found = await askPython(kernel, 'complete', { code, cursor }, answer)
  const at = cursor ?? [...code].length
  const value = found ? { ...found, notice: null } : { matches: [], total: 0, start: at, end: at, notice: noProcess }
  return result({ value, content: text(render(value)) })
}

function render({ matches, total, notice }: z.output<typeof completeOutput>): string {
  if (notice !== null) return notice
  if (matches.length === 0) return 'Nothing fits here.'
  return [...matches, ...(total > matches.length ? [`… and ${total - matches.length} more`] : [])].join('\n')
}
