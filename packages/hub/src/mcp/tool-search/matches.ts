import type { ToolDefinition } from '@callboard/protocol'
import { isRecord } from '../json-rpc.js'
import * as limits from './limits.js'
import { parameterNames } from './tool-index.js'

export const tokensOf = (value: unknown): number =>
  Math.ceil((JSON.stringify(value)?.length ?? 0) / limits.charactersPerToken)

type Shown = { readonly [key: string]: unknown }

/**
 * As much of each definition as the budget allows. Each may use an equal share of what is left, and leaves to the next what it
 * does not need, so that one long definition does not hide the others.
 */
export function withinBudget(tools: readonly ToolDefinition[], tokensMax = limits.answerTokensMax): Shown[] {
  const shown: Shown[] = []
  let left = tokensMax
  for (const [index, tool] of tools.entries()) {
    const share = Math.floor(left / (tools.length - index))
    const match = [whole, brief].map((form) => form(tool)).find((form) => tokensOf(form) <= share) ?? bare(tool)
    const tokens = tokensOf(match)
    if (tokens > left) break
    left -= tokens
    shown.push(match)
  }
  return shown
}

/** Whole definitions, as many as fit; the first one in any case. */
export function wholeWithinBudget(tools: readonly ToolDefinition[]): ToolDefinition[] {
  let left = limits.definitionsTokensMax
  return tools.filter((tool, index) => {
    left -= tokensOf(tool)
    return left >= 0 || index === 0
  })
}

/** All that a caller needs; what results look like it may ask for by name. */
function whole({ name, title, description, inputSchema, annotations }: ToolDefinition): Shown {
  return { name, ...defined({ title, description }), inputSchema, ...defined({ annotations }) }
}

function brief(tool: ToolDefinition): Shown {
  const { name, description, inputSchema } = tool
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {}
  const parameters = Object.entries(properties).map(([key, schema]) => [key, briefSchema(schema)])
  return {
    name,
    ...defined({ description: cut(description, limits.briefDescriptionLengthMax) }),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters),
      ...defined({ required: inputSchema['required'] }),
    },
    shortened: true,
  }
}

function briefSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema
  const { type, enum: choices, description } = schema
  return defined({
    type,
    enum: Array.isArray(choices) && choices.length <= limits.briefChoicesMax ? choices : undefined,
    description: cut(description, limits.briefParameterLengthMax),
  })
}

function bare(tool: ToolDefinition): Shown {
  const names = parameterNames(tool).slice(0, limits.bareParametersMax)
  return {
    name: tool.name,
    ...defined({ description: cut(tool.description, limits.bareDescriptionLengthMax) }),
    parameters: names.map((name) => cut(name, limits.bareParameterLengthMax)),
    shortened: true,
  }
}

function cut(text: unknown, lengthMax: number): string | undefined {
  if (typeof text !== 'string') return undefined
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`
}

function defined(values: Shown): Shown {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
