import type { DefinitionKind } from '@callboard/protocol'
import { PromptSchema, ResourceSchema, ResourceTemplateSchema, ToolSchema } from '@modelcontextprotocol/core'
import { paramHeadersOf } from './param-headers.js'

const schemas = {
  tool: ToolSchema,
  resource: ResourceSchema,
  resourceTemplate: ResourceTemplateSchema,
  prompt: PromptSchema,
} as const

/** Clients refuse a whole list for one entry that they can't read: such an entry must never get into one. */
export function inspectDefinition(
  kind: DefinitionKind,
  value: { readonly [key: string]: unknown },
): string | undefined {
  const parsed = schemas[kind].safeParse(value)
  if (parsed.success) return kind === 'tool' ? markProblem(value) : undefined
  const [issue] = parsed.error.issues
  return issue === undefined ? 'is not valid' : `${issue.path.join('.')}: ${issue.message}`.slice(0, 512)
}

function markProblem({ inputSchema }: { readonly [key: string]: unknown }): string | undefined {
  const scanned = paramHeadersOf(inputSchema)
  return scanned.kind === 'invalid' ? `inputSchema.${scanned.problem}`.slice(0, 512) : undefined
}
