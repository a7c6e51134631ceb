import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keptPageOf, pageOf } from '../../src/mcp/pagination.js'

type Entry = { readonly name: string }
const nameOf = ({ name }: Entry) => name

/** Pages of names, for brevity. */
function page(names: string[], cursor?: string, size = 2, bytesMax?: number, list = 'tools') {
  const entries = names.map((name) => ({ name }))
  const { entries: paged, ...rest } = pageOf(list, entries, nameOf, cursor, size, bytesMax)
  return { entries: paged.map(nameOf), ...rest }
}

describe('pageOf', () => {
  it('gives every entry once, whatever the page size', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 5 }), (entries, size) => {
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const next = page(entries, cursor, size)
          seen.push(...next.entries)
          cursor = next.nextCursor
        } while (cursor !== undefined)
        expect(seen).toEqual(entries)
      }),
    )
  })

  it('ends a page by its bytes too, and gives every entry once all the same', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ maxLength: 30 })),
        fc.integer({ min: 1, max: 100 }),
        (entries, bytesMax) => {
          const seen: string[] = []
          let cursor: string | undefined
          do {
            const next = page(entries, cursor, 5, bytesMax)
            if (next.entries.length > 1) {
              const asSent = JSON.stringify(next.entries.map((name) => ({ name })))
              expect(Buffer.byteLength(asSent)).toBeLessThanOrEqual(bytesMax + 1)
            }
            seen.push(...next.entries)
            cursor = next.nextCursor
          } while (cursor !== undefined)
          expect(seen).toEqual(entries)
        },
      ),
    )
  })

  it('fills no page beyond 1 MiB', () => {
    const entries = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(60 * 1024, 'ä'))
    const first = page(entries, undefined, 1000)
    expect(Buffer.byteLength(JSON.stringify(first.entries))).toBeLessThanOrEqual(1024 * 1024 + 2)
    expect(first.entries).toHaveLength(8)
    expect(page(entries, first.nextCursor, 1000).entries[0]).toBe(entries[8])
  })

  it('goes on after the last entry when the list has changed', () => {
    const { nextCursor } = page(['b', 'c', 'd', 'e'])
    expect(page(['a', 'b', 'c', 'd', 'e'], nextCursor).entries).toEqual(['d', 'e'])
    expect(page(['b', 'd', 'e'], nextCursor).entries).toEqual(['e'])
    expect(page([], nextCursor)).toEqual({ entries: [] })
  })

  it.each([
    '',
    'nonsense',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["tools","b",-1]').toString('base64url'),
  ])('refuses %j as a cursor', (cursor) => {
    expect(() => page(['a'], cursor)).toThrow(expect.objectContaining({ code: -32602 }))
  })

  it('refuses the cursor of another list', () => {
    const { nextCursor } = page(['a', 'b'], undefined, 1, undefined, 'prompts')
    expect(() => page(['a', 'b'], nextCursor)).toThrow('Invalid cursor')
  })
})

describe('keptPageOf', () => {
  const list = Array.from({ length: 7 }, (_, index) => ({ name: `${index}` }))

  it('makes the pages of a list once, for who asks for one after the other', () => {
    const read = () => {
      const pages = []
      for (let cursor: string | undefined; ; ) {
        const page = keptPageOf('tools', list, nameOf, cursor, 2)
        pages.push(page)
        cursor = page.nextCursor
        if (cursor === undefined) return pages
      }
    }
    const pages = read()
    expect(pages.flatMap(({ entries }) => entries.map(nameOf))).toEqual(list.map(nameOf))
    expect(read().every((page, index) => page === pages[index])).toBe(true)
    expect(keptPageOf('tools', [...list], nameOf, undefined, 2)).not.toBe(pages[0])
    expect(keptPageOf('tools', list, nameOf, undefined, 3).entries).toHaveLength(3)
  })

  it('keeps none that begins where no page of it does', () => {
    const invented = Buffer.from(JSON.stringify(['tools', '2', 3])).toString('base64url')
    const page = keptPageOf('tools', list, nameOf, invented, 2)
    expect(page.entries.map(nameOf)).toEqual(['3', '4'])
    expect(keptPageOf('tools', list, nameOf, invented, 2)).not.toBe(page)
  })
})
