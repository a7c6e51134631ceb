import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isPending } from '../src/eventually.js'
import { parseValue } from '../src/parse-value.js'

describe('a value', () => {
  test('is parsed at once when nothing in its schema waits', () => {
    const schema = z.object({ name: z.string().trim(), limit: z.number().default(5) })
    expect(parseValue(schema, { name: ' Ada ' })).toEqual({ success: true, data: { name: 'Ada', limit: 5 } })
  })

  test('has the issues that zod itself reports', () => {
    const schema = z.object({ name: z.string('a text, please'), rows: z.array(z.object({ id: z.number() })) })
    const given = { name: 1, rows: [{ id: 'x' }] }
    expect(parseValue(schema, given)).toEqual({ success: false, issues: schema.safeParse(given).error?.issues })
  })

  test('is waited for when its schema does, and what is asynchronous runs once', async () => {
    let runs = 0
    const schema = z.object({ name: z.string() }).refine(async ({ name }) => {
      runs += 1
      return name !== 'taken'
    }, 'this name is taken')
    const parsed = parseValue(schema, { name: 'taken' })
    expect(isPending(parsed)).toBe(true)
    expect(await parsed).toMatchObject({ success: false, issues: [{ message: 'this name is taken' }] })
    expect(await parseValue(schema, { name: 'free' })).toEqual({ success: true, data: { name: 'free' } })
    expect(runs).toBe(2)
  })
})
