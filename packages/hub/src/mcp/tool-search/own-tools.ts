import { nameLengthMax, type ToolDefinition } from '@callboard/protocol'
import { z } from 'zod'
import * as limits from './limits.js'

export const searchToolsName = 'search_tools'
export const callToolName = 'call_tool'

export const isOwnName = (name: string): boolean => name === searchToolsName || name === callToolName

const name = z.string('must be a tool name').min(1, 'must not be empty').max(nameLengthMax, 'is too long for a name')

const searchArguments = z
  .strictObject({
    query: z
      .string('must be text')
      .max(limits.queryLengthMax, `must have at most ${limits.queryLengthMax} characters`)
      .describe('What you want to do, in a few words')
      .optional(),
    names: z
      .array(name, 'must be a list of tool names')
      .max(limits.namesMax, `must have at most ${limits.namesMax} names`)
      .describe('Exact names of tools: gives their whole definitions')
      .optional(),
    service: z.string('must be the name of a service').max(64).describe('Only tools of this service').optional(),
    limit: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(limits.matchesMax, `must be at most ${limits.matchesMax}`)
      .default(limits.matchesDefault)
      .describe('How many at most'),
  })
  .refine(
    ({ query, names, service }) => [query, names, service].some((value) => value !== undefined),
    'say what you look for: query, names or service',
  )

const callArguments = z.strictObject({
  name: name.describe('The name that search_tools gave'),
  arguments: z
    .record(z.string(), z.unknown(), 'must be an object')
    .default({})
    .describe("The tool's own arguments, as its inputSchema says"),
})

export type SearchArguments = z.output<typeof searchArguments>
export type CallArguments = z.output<typeof callArguments>

export const parseSearchArguments = (value: unknown) => parsed(searchArguments, value, searchToolsName)
export const parseCallArguments = (value: unknown) => parsed(callArguments, value, callToolName)

/** The arguments, or a sentence that names each that is wrong. */
function parsed<T>(schema: z.ZodType<T>, value: unknown, tool: string): T | string {
  const result = schema.safeParse(value ?? {})
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `unknown argument ${issue.keys.join(', ')}`
    return issue.path.length === 0 ? issue.message : `${issue.path.join('.')} ${issue.message}`
  })
  return `${tool}: ${problems.join('; ')}.${tool === callToolName ? ' What the tool takes belongs into "arguments".' : ''}`
}

export function searchToolsDefinition(services: readonly string[], count: number): ToolDefinition {
  return {
    name: searchToolsName,
    title: 'Search tools',
    description:
      `Finds tools by what they do, best first. ${count === 0 ? 'There are none now.' : `They belong to: ${cutList(services)}.`} ` +
      `Call what you find with ${callToolName}. A definition marked "shortened" is given whole when asked for by "names".`,
    inputSchema: searchSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

export const callToolDefinition: ToolDefinition = {
  name: callToolName,
  title: 'Call a tool',
  description: `Calls a tool that ${searchToolsName} found, and gives its result.`,
  inputSchema: inputSchemaOf(callArguments),
  execution: { taskSupport: 'optional' },
}

const searchSchema = inputSchemaOf(searchArguments)

function inputSchemaOf(schema: z.ZodType): ToolDefinition['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return { ...rest, type: 'object' }
}

function cutList(names: readonly string[]): string {
  let length = 0
  const shown = names.filter((each) => {
    length += each.length + 2
    return length <= limits.servicesLengthMax
  })
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
