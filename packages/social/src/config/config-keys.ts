import { z } from 'zod'
import { sectionSchema } from './section-schema.js'

/** What a key takes, for whoever has it as text only. `any` is written as JSON. */
export type KeyKind = 'text' | 'list' | 'number' | 'truth' | 'any'

export interface ConfigKey {
  /** From the section on: `mode`, `llm.api_key`. */
  readonly path: string
  readonly kind: KeyKind
}

/** Of an object with sections in it, each section before its keys. */
function keysOf(schema: z.ZodObject, before = ''): readonly ConfigKey[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const path = `${before}${name}`
    const inner = bare(field as z.ZodType)
    if (inner instanceof z.ZodObject) return [{ path, kind: 'any' } as const, ...keysOf(inner, `${path}.`)]
    return [{ path, kind: kindOf(inner) }]
  })
}

/** Without what says that it may be left out. */
function bare(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodPrefault
    ? bare(field.unwrap() as z.ZodType)
    : field
}

function kindOf(field: z.ZodType): KeyKind {
  if (field instanceof z.ZodString || field instanceof z.ZodEnum) return 'text'
  if (field instanceof z.ZodArray) return 'list'
  if (field instanceof z.ZodNumber) return 'number'
  return field instanceof z.ZodBoolean ? 'truth' : 'any'
}

/** Every key of the section `social`. */
export const socialConfigKeys: readonly ConfigKey[] = keysOf(sectionSchema)
