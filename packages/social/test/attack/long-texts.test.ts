import { describe, expect, test } from 'vitest'
import { measure } from '../../src/text/measure.js'

const rule = { kind: 'short-urls', max: 500, urlLength: 23 } as const
const ten = (text: string) => text.repeat(10_000 / text.length)

describe('a text of an agent within the allowed size', () => {
  test.each([
    ['Chinese', `http://${ten('漢字')}`],
    ['Thai', `http://${ten('กก')}`],
    ['flags', `http://${ten('🇩🇪🇩🇪🇩🇪🇩🇪🇩🇪')}`],
    ['dots', `http://${ten('a.')}`],
    ['protocols', ten('http://a.')],
    ['protocols in paths', ten('http://a.co/aaaa.aaa')],
  ])('is measured in no time, though it looks like a URL: %s', (_, text) => {
    const begun = process.cpuUsage()
    measure(text, rule)
    // Seconds before; the square of the length.
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000)
  })

  test.each([
    ['http://a.co/b', 23],
    ['see http://a.co/b, and https://b.org.', 11 + 46],
    ['(https://a.co)', 25],
    ['xhttp://a.co', 12],
    ['漢http://a.co漢', 25],
    ['a.co http://', 12],
    ['HTTPS://A.CO/x?y=z#q', 23],
    [`http://a.co/${'b'.repeat(5_000)}`, 5_012],
  ])('counts as before: %s', (text, count) => {
    expect(measure(text, rule).count).toBe(count)
  })
})
