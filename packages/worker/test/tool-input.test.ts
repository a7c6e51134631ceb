import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseInput, strictly } from '../src/tool-input.js'

async function problem(schema: z.ZodObject, input: unknown): Promise<string | undefined> {
  try {
    await parseInput(strictly(schema), input)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('a problem of the input', () => {
  test('names the field by its path', async () => {
    const schema = z.object({
      rows: z.array(z.object({ id: z.number() })),
      deep: z.object({ a: z.object({ b: z.string() }) }),
    })
    expect(await problem(schema, { rows: [{ id: 1 }, {}], deep: { a: { b: 2 } } })).toBe(
      'rows[1].id: required; deep.a.b: Invalid input: expected string, received number',
    )
  })

  test('says what is wrong with the input as a whole', async () => {
    const schema = z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b, 'a must be less than b')
    expect(await problem(schema, { a: 2, b: 1 })).toBe('input: a must be less than b')
    expect(await problem(z.object({}), 'text')).toBe('input: Invalid input: expected object, received string')
  })

  test('of a union is that of the nearest alternative', async () => {
    const schema = z.object({ at: z.union([z.object({ x: z.number(), y: z.number() }), z.object({ id: z.string() })]) })
    expect(await problem(schema, { at: { x: 'left', y: 1 } })).toBe(
      'at.x: Invalid input: expected number, received string',
    )
  })

  test('suggests the nearest known name, or lists them', async () => {
    const schema = z.object({ limit: z.number().optional(), category_id: z.number().optional() })
    expect(await problem(schema, { limt: 1 })).toBe('limt: unknown field, did you mean "limit"?')
    expect(await problem(schema, { categoryId: 1 })).toBe('categoryId: unknown field, did you mean "category_id"?')
    expect(await problem(schema, { zzz: 1 })).toBe('zzz: unknown field (there are: limit, category_id)')
  })

  test('an unknown field is none when the author said so', async () => {
    expect(await problem(z.looseObject({}), { any: 1 })).toBeUndefined()
    expect(await problem(z.object({}).catchall(z.number()), { any: 1 })).toBeUndefined()
    expect(await problem(z.strictObject({}), { any: 1 })).toBe('any: unknown field')
  })

  test('checks that wait are waited for', async () => {
    const schema = z.object({ a: z.string().refine(async (value) => value === 'yes', 'must be yes') })
    expect(await problem(schema, { a: 'no' })).toBe('a: must be yes')
    expect(await problem(schema, { a: 'yes' })).toBeUndefined()
  })
})
