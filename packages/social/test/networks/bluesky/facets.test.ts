import { RichText } from '@atproto/api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { facetsOf, handlesIn, spansOf } from '../../../src/networks/bluesky/facets.js'

/** What is linked, as the bytes of the text say it. */
function shown(text: string): string[] {
  const bytes = Buffer.from(text)
  return spansOf(text).map(({ byteStart, byteEnd, meaning }) => `${meaning.kind} ${bytes.subarray(byteStart, byteEnd)}`)
}

describe('what a text means', () => {
  test('offsets count bytes of UTF-8', () => {
    expect(spansOf('🦋 é #tag')).toEqual([{ byteStart: 8, byteEnd: 12, meaning: { kind: 'tag', tag: 'tag' } }])
  })

  test.each([
    ['see https://example.com/a?b=c#d.', ['link https://example.com/a?b=c#d']],
    [
      '(https://example.com) and (https://en.wikipedia.org/wiki/A_(b))',
      ['link https://example.com', 'link https://en.wikipedia.org/wiki/A_(b)'],
    ],
    ['example.com is written out, and ftp://example.com is another thing', []],
    ['xhttps://example.com', []],
    ['https://', []],
    ['hi @bob.test, and @Carol.Example.Com!', ['mention @bob.test', 'mention @Carol.Example.Com']],
    ['mail me@example.com or @nobody', []],
    ['@-bad.test @bad.123 @a..b', []],
    ['https://example.com/@bob.test', ['link https://example.com/@bob.test']],
    ['#öffentlich, ＃wide #123 #1a #', ['tag #öffentlich', 'tag ＃wide', 'tag #1a']],
    ['a#b #c#d #e.', ['tag #c#d', 'tag #e']],
    [`#${'x'.repeat(65)} #${'y'.repeat(64)}`, [`tag #${'y'.repeat(64)}`]],
    ['', []],
  ])('%j', (text, expected) => expect(shown(text)).toEqual(expected))

  test('another implementation finds the same links and hashtags', () => {
    const text = '🦋 Grüße: https://example.com/é?x=1, #eins #zwei! (https://example.org/a) 世界 #世界'
    const richText = new RichText({ text })
    richText.detectFacetsWithoutResolution()
    const theirs = richText.facets?.map(({ index, features }) => ({ index: { ...index }, features }))
    expect(facetsOf(spansOf(text), new Map())).toEqual(theirs)
  })

  test('spans lie within the text, in order, and never overlap', () => {
    const piece = fc.constantFrom(
      '#a',
      '@b.test',
      'https://c.test/',
      ' ',
      '🦋',
      'é',
      '(',
      ')',
      '.',
      '\n',
      '\u200d',
      '#',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme' }))), (pieces) => {
        const text = pieces.join('')
        let end = 0
        for (const { byteStart, byteEnd } of spansOf(text)) {
          expect(byteStart).toBeGreaterThanOrEqual(end)
          expect(byteEnd).toBeGreaterThan(byteStart)
          end = byteEnd
        }
        expect(end).toBeLessThanOrEqual(Buffer.byteLength(text))
      }),
    )
  })

  test('who is mentioned is asked for once, and ten at most', () => {
    expect(handlesIn(spansOf('@bob.test @BOB.test @carol.test'))).toEqual(['bob.test', 'carol.test'])
    const many = Array.from({ length: 20 }, (_, index) => `@a${index}.test`).join(' ')
    expect(handlesIn(spansOf(many))).toHaveLength(10)
  })

  test('who is nobody stays text', () => {
    const facets = facetsOf(spansOf('@bob.test @nobody.test'), new Map([['bob.test', 'did:plc:bob']]))
    expect(facets).toEqual([
      {
        index: { byteStart: 0, byteEnd: 9 },
        features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:bob' }],
      },
    ])
  })
})
