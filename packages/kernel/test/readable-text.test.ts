import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readableText, searchText, sliceText } from '../src/output/readable-text.js'
import { StreamOutput } from '../src/output/stream-output.js'

const characters = fc.array(fc.constantFrom('a', 'é', '€', '😀', '\n', ' '), { maxLength: 80 }).map((c) => c.join(''))

describe('a slice', () => {
  it('chain of any lengths gives the whole text, whatever its characters', async () => {
    await fc.assert(
      fc.asyncProperty(
        characters,
        fc.array(fc.integer({ min: 4, max: 40 }), { minLength: 1 }),
        async (whole, sizes) => {
          const source = readableText(whole)
          let text = ''
          let offset = 0
          for (let turn = 0; offset < source.totalBytes; turn += 1) {
            const slice = await sliceText(source, offset, sizes[turn % sizes.length]!)
            expect(slice.offset).toBe(offset)
            expect(slice.nextOffset).toBeGreaterThan(offset)
            text += slice.text
            offset = slice.nextOffset
          }
          expect(text).toBe(whole)
        },
      ),
    )
  })

  it('from any offset begins with the character there, and says where', async () => {
    await fc.assert(
      fc.asyncProperty(characters, fc.integer({ min: -400, max: 400 }), async (whole, offset) => {
        const bytes = Buffer.from(whole)
        const slice = await sliceText(readableText(whole), offset, 1000)
        expect(slice.text).toBe(bytes.subarray(slice.offset).toString())
        const asked = Math.min(bytes.length, offset < 0 ? Math.max(0, bytes.length + offset) : offset)
        expect(asked - slice.offset).toBeGreaterThanOrEqual(0)
        expect(asked - slice.offset).toBeLessThan(4)
        expect(slice.nextOffset).toBe(bytes.length)
      }),
    )
  })

  it('of bytes that are no UTF-8 makes progress and loses nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 4, max: 30 }), async (raw, size) => {
        const bytes = Buffer.from(raw)
        const source = { ...readableText(''), totalBytes: bytes.length, finalBytes: bytes.length }
        const readAt = async (offset: number, length: number) => ({
          offset,
          bytes: bytes.subarray(offset, offset + length),
        })
        const covered: number[] = []
        for (let offset = 0; offset < bytes.length; ) {
          const slice = await sliceText({ ...source, readAt }, offset, size)
          for (let at = slice.offset; at < slice.nextOffset; at += 1) covered.push(at)
          expect(slice.nextOffset).toBeGreaterThan(offset)
          offset = slice.nextOffset
        }
        expect(new Set(covered).size).toBe(bytes.length)
      }),
    )
  })

  it('beyond the end is empty, and goes on at the end', async () => {
    expect(await sliceText(readableText('abc'), 10, 16)).toEqual({ text: '', offset: 3, nextOffset: 3, totalBytes: 3 })
    expect(await sliceText(readableText(''), 0, 16)).toEqual({ text: '', offset: 0, nextOffset: 0, totalBytes: 0 })
  })
})

describe('a slice of a running stream', () => {
  it('shows the unfinished line, and shows it again when it has changed', async () => {
    const stream = new StreamOutput('stdout', undefined)
    stream.push(Buffer.from('done\n50%'))
    const first = await stream.slice(0, 100)
    expect(first).toEqual({ text: 'done\n50%', offset: 0, nextOffset: 5, totalBytes: 8 })
    stream.push(Buffer.from('\r100%\n'))
    expect((await stream.slice(first.nextOffset, 100)).text).toBe('100%\n')
  })

  it('waits for the rest of a character, until the stream has ended', async () => {
    const stream = new StreamOutput('stdout', undefined)
    const [start, rest] = [Buffer.from('x€').subarray(0, 2), Buffer.from('x€').subarray(2)]
    stream.push(start)
    expect((await stream.slice(0, 100)).text).toBe('x')
    stream.push(rest)
    expect((await stream.slice(0, 100)).text).toBe('x€')
    stream.push(start.subarray(1))
    stream.close()
    expect((await stream.slice(0, 100)).text).toBe('x€\uFFFD')
  })

  it('reads to the end in steps while the stream grows by any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(characters, { maxLength: 20 }), async (parts) => {
        const stream = new StreamOutput('stdout', undefined)
        let text = ''
        let offset = 0
        for (const part of parts) {
          for (const byte of Buffer.from(part)) stream.push(Uint8Array.of(byte))
          const slice = await stream.slice(offset, 1000)
          // Only what is before next_offset stays.
          text += Buffer.from(slice.text)
            .subarray(0, slice.nextOffset - slice.offset)
            .toString()
          offset = slice.nextOffset
        }
        stream.close()
        text += (await stream.slice(offset, 10_000)).text
        expect(text).toBe(parts.join(''))
      }),
    )
  })
})

describe('a search', () => {
  it('gives each line with the text in it, once, with its offset', async () => {
    const line = fc.array(fc.constantFrom('x', 'é', 'ab', 'b'), { maxLength: 12 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const source = readableText(lines.join('\n'))
        const found = await searchText(source, 'ab', 0, 10_000)
        expect(found.matches.map(({ line }) => line)).toEqual(lines.filter((line) => line.includes('ab')))
        for (const match of found.matches) {
          const { text } = await sliceText(source, match.offset, 1000)
          expect(text.startsWith(match.line)).toBe(true)
        }
        expect(found.nextOffset).toBe(source.totalBytes)
      }),
    )
  })

  it('shows the part of a long line that matches', async () => {
    const { matches } = await searchText(readableText(`${'€'.repeat(5000)}here${'€'.repeat(5000)}`), 'here', 0, 10_000)
    expect(matches).toHaveLength(1)
    expect(matches[0]!.line).toMatch(/^€+here€+$/)
    expect(Buffer.byteLength(matches[0]!.line)).toBeLessThanOrEqual(512)
  })

  it('is bounded in lines and bytes, and goes on where it stopped', async () => {
    const source = readableText(Array.from({ length: 250 }, (_, i) => `match ${i}`).join('\n'))
    const seen: string[] = []
    let turns = 0
    for (let offset = 0; offset < source.totalBytes; turns += 1) {
      const found = await searchText(source, 'match', offset, 500)
      expect(found.matches.length).toBeLessThanOrEqual(100)
      seen.push(...found.matches.map(({ line }) => line))
      offset = found.nextOffset
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, i) => `match ${i}`))
    expect(turns).toBeGreaterThan(3)
  })

  it('finds what lies across two reads', async () => {
    for (const shift of [0, 1, 3, 5]) {
      const text = `${'x'.repeat(256 * 1024 - shift)}needle\n`
      expect((await searchText(readableText(text), 'needle', 0, 1000)).matches).toHaveLength(1)
    }
  })

  it('finds later what had only begun', async () => {
    const stream = new StreamOutput('stdout', undefined)
    stream.push(Buffer.from('ok\nnee'))
    const first = await stream.search('needle', 0, 1000)
    stream.push(Buffer.from('dle\n'))
    expect(await stream.search('needle', first.nextOffset, 1000)).toMatchObject({
      matches: [{ offset: 3, line: 'needle' }],
    })
  })
})
