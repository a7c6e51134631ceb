import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions } from '../../src/broker/versions.js'

const ascending = [
  '0',
  '0.9.9',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.9',
  '1.0.10',
  '1.2',
  '1.10',
  '2.0.0',
  '10.0.0',
  'dev',
]

describe('compareVersions', () => {
  it('orders as semver does', () => {
    for (const [index, version] of ascending.entries()) {
      for (const [place, other] of ascending.entries()) {
        expect(compareVersions(version, other), `${version} and ${other}`).toBe(Math.sign(index - place))
      }
    }
  })

  it('looks past build metadata', () => {
    expect(compareVersions('1.0.0+linux.1', '1.0.0+mac')).toBe(0)
  })

  it('is an order for whatever workers write', () => {
    const part = fc.constantFrom('', '0', '9', '10', '1a', 'a', 'b9', '٣')
    const version = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.option(fc.array(part, { maxLength: 2 })))
      .map(([core, pre]) => core.join('.') + (pre === null ? '' : `-${pre.join('.')}`))
    fc.assert(
      fc.property(version, version, version, (one, two, three) => {
        expect(Math.sign(compareVersions(one, two)) + Math.sign(compareVersions(two, one))).toBe(0)
        if (compareVersions(one, two) <= 0 && compareVersions(two, three) <= 0) {
          expect(compareVersions(one, three)).toBeLessThanOrEqual(0)
        }
      }),
      { seed: 1, numRuns: 5_000 },
    )
  })
})
