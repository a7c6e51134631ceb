import { z } from 'zod'

/** A tool as it is registered: help says nothing that is not taken from here or from the configuration. */
export interface RegisteredTool {
  readonly name: string
  readonly spec: { readonly description: string; readonly input: z.ZodObject; readonly output?: z.ZodType }
}

export function describeTool({ name, spec }: RegisteredTool): string {
  const output = spec.output ? fieldsOf(spec.output, 'output') : ['text']
  return [
    `${name}: ${spec.description}`,
    section('  Input', fieldsOf(spec.input, 'input')),
    section('  Output', output),
  ].join('\n')
}

export function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `- ${line}`)].join('\n')
}

interface FieldSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly FieldSchema[]
  readonly description?: string
}

function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): readonly string[] {
  const json = z.toJSONSchema(schema, { io }) as { properties?: { [name: string]: FieldSchema }; required?: string[] }
  return Object.entries(json.properties ?? {}).map(([name, field]) => {
    const optional = json.required?.includes(name) ? '' : ', optional'
    return `${name} (${typeOf(field)}${optional})${field.description ? `: ${field.description}` : ''}`
  })
}

function typeOf(field: FieldSchema): string {
  if (field.enum) return field.enum.join(' | ')
  if (field.anyOf) return field.anyOf.map(typeOf).join(' or ')
  return field.type ?? 'any'
}
