import { deadlineMsMax, type ToolDefinition } from '@callboard/protocol'
import { z } from 'zod'
import type { Context, ToolSpec } from './api.js'
import { requireFunction, requireInteger, requireKnown, requireName, requireText } from './names.js'
import { toolOptions } from './option-names.js'
import { strictly } from './tool-input.js'

/** A tool as the catalogue keeps it: what the hub is told, and what runs. */
export interface Tool {
  readonly definition: ToolDefinition
  readonly input: z.ZodObject
  readonly output?: z.ZodType
  readonly handler: (input: unknown, context: Context) => unknown
}

/** Throws a TypeError that names the tool when its spec can't be announced. */
export function makeTool(name: string, spec: ToolSpec<z.ZodObject, z.ZodType>, handler: Tool['handler']): Tool {
  requireName('tool', name)
  const what = `tool ${name}`
  requireKnown(what, spec, toolOptions)
  requireText(`${what}: description`, spec.description)
  requireFunction(`${what}: handler`, handler)
  if (spec.input?.def?.type !== 'object') throw new TypeError(`${what}: input must be a z.object() of zod 4`)
  if (spec.output !== undefined && spec.output.def === undefined) {
    throw new TypeError(`${what}: output must be a schema of zod 4`)
  }
  if (spec.timeoutMs !== undefined) requireInteger(`${what}: timeoutMs`, spec.timeoutMs, 1, deadlineMsMax)
  if (spec.listed !== undefined && typeof spec.listed !== 'boolean') {
    throw new TypeError(`${what}: listed: must be true or false`)
  }
  const input = strictly(spec.input)
  const { output } = spec
  return { definition: define(name, spec, input), input, handler, ...(output === undefined ? {} : { output }) }
}

function define(name: string, spec: ToolSpec<z.ZodObject, z.ZodType>, input: z.ZodObject): ToolDefinition {
  const { title, description, output, annotations, execution, timeoutMs, roles, listed, icons, meta } = spec
  const steering = {
    ...(timeoutMs === undefined ? {} : { 'callboard/timeoutMs': timeoutMs }),
    ...(roles === undefined ? {} : { 'callboard/roles': roles }),
    ...(listed === undefined ? {} : { 'callboard/listed': listed }),
  }
  const _meta = { ...meta, ...steering }
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: spec.inputSchema ?? { ...jsonSchema(`tool ${name}: input`, input, 'input'), type: 'object' },
    ...(output === undefined ? {} : { outputSchema: jsonSchema(`tool ${name}: output`, output, 'output') }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(execution === undefined ? {} : { execution }),
    ...(icons === undefined ? {} : { icons }),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  }
}

function jsonSchema(what: string, schema: z.ZodType, io: 'input' | 'output'): { readonly [key: string]: unknown } {
  try {
    const {
      $schema: _,
      '~standard': __,
      ...rest
    } = z.toJSONSchema(schema, { io }) as { readonly [key: string]: unknown }
    return rest
  } catch (cause) {
    throw new TypeError(`${what} has no JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
