import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isKeptUri, keeperOf, keptUri, parseKeptUri } from '../src/index.js'

const spec = readFileSync(new URL('../SPEC.md', import.meta.url), 'utf8')

describe('the URI of a kept result [CB-100]', () => {
  it('names the instance without telling it, as the specification has it', () => {
    const keeper = keeperOf('5d1f2a3b4c5d6e7f')
    expect(keeper).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(spec).toContain(keeper)
  })

  it('is read back as it was written', () => {
    const address = { service: 'greeter', keeper: keeperOf('one'), rest: 'id/0' }
    expect(parseKeptUri(keptUri(address))).toEqual(address)
  })

  it.each([
    'callboard-result://greeter',
    'callboard-result://greeter/short/id/0',
    `callboard-result://greeter/${keeperOf('one')}/`,
    `callboard-result://Greeter/${keeperOf('one')}/id`,
    `CALLBOARD-RESULT://greeter/${keeperOf('one')}/id`,
    'callboard-result:',
  ])('is none, and nobody else can have it: %s', (uri) => {
    expect(isKeptUri(uri)).toBe(true)
    expect(parseKeptUri(uri)).toBeUndefined()
  })
})
