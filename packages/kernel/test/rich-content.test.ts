import { describe, expect, it } from 'vitest'
import { contentOf, type KeptDisplay, shownOf } from '../src/output/rich-content.js'

const pngMagic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const png = (size = 100) => Buffer.concat([pngMagic, Buffer.alloc(size - pngMagic.length)])
const of = (data: { readonly [type: string]: unknown }) =>
  shownOf({ data, metadata: {} }).map(({ mimeType, bytes }) => [mimeType, bytes.toString('latin1')])

describe('what is kept of a bundle', () => {
  it('is the image, if its bytes are one', () => {
    const encoded = png().toString('base64')
    expect(of({ 'text/plain': '<Figure>', 'image/png': encoded })).toEqual([['image/png', png().toString('latin1')]])
    expect(of({ 'image/png': `${encoded.slice(0, 20)}\n${encoded.slice(20)}` })).toHaveLength(1)
    expect(shownOf({ data: { 'image/jpeg': encoded }, metadata: {} })[0]!.mimeType).toBe('image/png')
  })

  it.each([
    ['text', Buffer.from('<script>').toString('base64')],
    ['nothing', ''],
    ['no string', { length: 8 }],
  ])('is never an image that is %s', (_, content) => {
    expect(of({ 'image/png': content, 'text/plain': 'x' })).toEqual([['text/plain', 'x']])
  })

  it('is markdown before other markup; a text and a link for tables and drawings', () => {
    expect(of({ 'text/html': '<b>', 'text/markdown': '**b**', 'text/plain': 'b' })).toEqual([
      ['text/markdown', '**b**'],
    ])
    expect(of({ 'text/html': '<b>', 'text/plain': 'b' })).toEqual([
      ['text/plain', 'b'],
      ['text/html', '<b>'],
    ])
    expect(of({ 'image/svg+xml': '<svg/>', 'text/html': '<b>' })).toEqual([['image/svg+xml', '<svg/>']])
  })

  it('knows lists of lines and JSON values, and drops what it does not know', () => {
    expect(of({ 'text/plain': ['a\n', 'b'] })).toEqual([['text/plain', 'a\nb']])
    expect(of({ 'application/json': { a: 1 } })).toEqual([['application/json', '{"a":1}']])
    expect(of({ 'application/x-own': 'x', 'text/plain': 3, 'text/html': null })).toEqual([])
    expect(of({ 'text/html': 'x'.repeat(3_000_001), 'image/png': png(3_000_001).toString('base64') })).toEqual([])
  })
})

describe('a reply', () => {
  const kinds = async (displays: readonly Omit<KeptDisplay, 'n'>[], gone: readonly number[] = []) => {
    const kept = displays.map((display, index) => ({ ...display, n: index + 1 }))
    const content = await contentOf(7, kept, async ({ n, size }) =>
      gone.includes(n) ? undefined : Buffer.alloc(size, 'x'),
    )
    return content.map(({ type }) => type)
  }
  const image = (size: number) => ({ mimeType: 'image/png', size }) as const
  const repeat = <Value>(value: Value, times: number) => Array.from({ length: times }, () => value)

  it('holds ten images and links to the rest', async () => {
    expect(await kinds(repeat(image(100), 12))).toEqual([...repeat('image', 10), ...repeat('resource_link', 2)])
  })

  it('holds images of a megabyte each and two mebibytes together; a later small one still fits', async () => {
    const sizes = [1_000_001, 1_000_000, 1_000_000, 200_000, 90_000]
    expect(await kinds(sizes.map(image))).toEqual(['resource_link', 'image', 'image', 'resource_link', 'image'])
  })

  it('holds short texts, and links to long ones and to markup', async () => {
    const texts = [
      { mimeType: 'text/plain', size: 100 },
      { mimeType: 'text/markdown', size: 9_000 },
      { mimeType: 'text/html', size: 10 },
      { mimeType: 'image/svg+xml', size: 10 },
    ] as const
    expect(await kinds(texts)).toEqual(['text', 'resource_link', 'resource_link', 'resource_link'])
    expect(
      (await kinds(repeat({ mimeType: 'text/plain', size: 8_000 } as const, 6))).filter((kind) => kind === 'text'),
    ).toHaveLength(4)
  })

  it('says in words how many links it leaves out', async () => {
    const content = await contentOf(
      7,
      Array.from({ length: 45 }, (_, index) => ({ n: index + 1, mimeType: 'text/html', size: 1 }) as const),
      async () => undefined,
    )
    expect(content).toHaveLength(41)
    expect(content[0]).toEqual({
      type: 'resource_link',
      uri: 'weave://runs/7/images/1',
      name: 'run-7-1.html',
      mimeType: 'text/html',
      size: 1,
    })
    expect(content[40]).toEqual({
      type: 'text',
      text: '5 more displays of run 7: weave://runs/7/images/45 and before.',
    })
  })

  it('links to an image that cannot be read', async () => {
    expect(await kinds([image(10), image(10)], [1])).toEqual(['resource_link', 'image'])
  })
})
