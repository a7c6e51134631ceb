import { result, type ToolSpec, text } from '@callboard/worker'
import { z } from 'zod'
import type { Kernel } from '../kernel/kernel.js'
import { variablesDefault, variablesMax } from '../limits.js'
import { askPython, noProcess } from './ask-python.js'
import { kernelField } from './run-schemas.js'

export const variablesInput = z.object({
  pattern: z.string().min(1).max(200).nullish().describe('Glob on the name, e.g. df_*; absent: all names.'),
  type: z.string().min(1).max(200).nullish().describe('Only of this type, e.g. list, DataFrame or numpy.ndarray.'),
  limit: z.int().min(1).max(variablesMax).nullish().describe(`At most so many; absent: ${variablesDefault}.`),
  kernel: kernelField,
})

const answer = z.object({
  variables: z
    .array(
      z.object({
        name: z.string(),
        type: z.string().describe('Class, with its module if that is neither builtins nor __main__.'),
        size: z.int().nullable().describe('Elements, characters or bytes; null if only code of the object could tell.'),
        shape: z.array(z.int()).nullable().describe('Of numpy arrays and pandas frames.'),
        preview: z.string().describe('Built-in values in short; all else as <class>.'),
        run_id: z.int().nullable().describe('The run that last bound the name.'),
      }),
    )
    .describe('Newest run first.'),
  total: z.int().describe('That fit, also beyond the limit.'),
})

export const variablesOutput = answer.extend({ notice: z.string().nullable() })

export const variablesSpec = {
  title: 'List variables',
  description:
    'List the names that your code has bound, with type, size and a preview. Works while a cell runs; runs none of your code, no property and no repr; never starts Python.',
  input: variablesInput,
  output: variablesOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof variablesInput, typeof variablesOutput>

export async function listVariables(input: z.output<typeof variablesInput>, kernel: Kernel | undefined) {
  const { pattern = null, type = null, limit } = input
  const found = await askPython(kernel, 'variables', { pattern, type, limit: limit ?? variablesDefault }, answer)
  const value = found ? { ...found, notice: null } : { variables: [], total: 0, notice: noProcess }
  return result({ value, content: text(render(value)) })
}

function render({ variables, total, notice }: z.output<typeof variablesOutput>): string {
  if (notice !== null) return notice
  if (total === 0) return 'No names fit.'
  const lines = variables.map(({ name, type, size, shape, preview, run_id }) => {
    const extent = shape ? ` (${shape.join(' × ')})` : size === null ? '' : ` (${size})`
    return `${name}: ${type}${extent} = ${preview}${run_id === null ? '' : `  [run ${run_id}]`}`
  })
  return [...lines, ...(total > variables.length ? [`… and ${total - variables.length} more`] : [])].join('\n')
}
