import { result, ToolError, type ToolSpec, text } from '@callboard/worker'
import { z } from 'zod'
import type { Kernel } from '../kernel/kernel.js'
import { askPython, noProcess } from './ask-python.js'
import { kernelField } from './run-schemas.js'

export const inspectInput = z.object({
  name: z.string().min(1).max(500).describe('Name or dotted name, e.g. df, np.linalg.norm or model.fit.'),
  with_source: z.boolean().nullish().describe('Also the source text, if there is one.'),
  kernel: kernelField,
})

export const inspectOutput = z.object({
  name: z.string(),
  kind: z
    .enum(['module', 'class', 'function', 'method', 'property', 'attribute', 'builtin', 'value'])
    .describe('attribute: of a class, computed by code that was not run.'),
  type: z.string(),
  signature: z.string().nullable(),
  doc: z.string().nullable(),
  origin: z.string().nullable().describe('File or cell, and line.'),
  source: z.string().nullable(),
  preview: z.string().nullable(),
})

export const inspectSpec = {
  title: 'Inspect a name',
  description:
    'What a name is: kind, signature, documentation, source. Works while a cell runs; runs none of your code, no property and no repr; never starts Python.',
  input: inspectInput,
  output: inspectOutput,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
} satisfies ToolSpec<typeof inspectInput, typeof inspectOutput>

const answer = z.union([z.object({ missing: z.string() }), inspectOutput])

/** Throws `not_found` with the nearest name; also when there is no process, as then there is nothing to describe. */
export async function inspectName(input: z.output<typeof inspectInput>, kernel: Kernel | undefined) {
  const params = { name: input.name, with_source: input.with_source === true }
  const found = await askPython(kernel, 'inspect', params, answer)
  if (!found) throw new ToolError('not_found', noProcess)
  if ('missing' in found) throw new ToolError('not_found', found.missing)
  return result({ value: found, content: text(render(found)) })
}

function render({ name, kind, type, signature, doc, origin, source, preview }: z.output<typeof inspectOutput>): string {
  const head = kind === 'value' ? `${name}: ${type} = ${preview}` : `${kind} ${signature ?? name}`
  return [head, ...(origin === null ? [] : [`Defined in ${origin}`]), doc, source]
    .filter((part) => part !== null && part !== '')
    .join('\n\n')
}
