import { keeperOf, parseKeptUri } from '@callboard/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResourceContents, ResourceLink } from '../src/api.js'
import { KeptResults } from '../src/kept-results.js'
import * as limits from '../src/limits.js'

const mebibyte = 1024 * 1024
const what = { name: 'log', mimeType: 'text/plain' }

function keeping() {
  const clock = { now: 1_000 }
  let serial = 0
  const newId = () => `id${++serial}`
  const kept = new KeptResults({ service: 's', keeper: keeperOf('i'), now: () => clock.now, newId })
  const keep = (data: string | Uint8Array, owner = 'agent:ada') => kept.keep(owner, data, what)
  const read = (link: ResourceLink | undefined, owner = 'agent:ada') => kept.read(owner, link?.uri ?? '')
  const parts = (links: readonly ResourceLink[] | undefined) => (links ?? []).map((link) => read(link)!)
  return { clock, kept, keep, read, parts }
}

const joined = (parts: readonly ResourceContents[]): unknown => parts.map((part) => part['text']).join('')

describe('text', () => {
  test('is the original when its parts are joined in order, and says how large each is [CB-104]', () => {
    const { keep, parts } = keeping()
    const text = `${'é'.repeat(limits.keptTextPartMax)}end`
    const links = keep(text)
    expect(links).toMatchObject([
      { type: 'resource_link', name: 'log, part 1 of 2', mimeType: 'text/plain', size: limits.keptTextPartMax * 2 },
      { type: 'resource_link', name: 'log, part 2 of 2', mimeType: 'text/plain', size: 3 },
    ])
    expect(joined(parts(links)) === text).toBe(true)
  })

  test('in one part has the name alone', () => {
    const { keep } = keeping()
    expect(keep('short')).toMatchObject([{ name: 'log', size: 5 }])
    expect(keep('')).toMatchObject([{ name: 'log', size: 0 }])
  })

  test('is cut between characters, whatever stands at the cut [CB-104]', () => {
    const { keep, parts } = keeping()
    const units = ['a', '\ud83d\ude00', '\ud83d', '\ude00', 'e\u0301', '\u2028', '\0']
    const around = fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 6 }).map((list) => list.join(''))
    fc.assert(
      fc.property(around, fc.integer({ min: 0, max: 6 }), (middle, before) => {
        const text = `${'x'.repeat(limits.keptTextPartMax - before)}${middle}end`
        const read = parts(keep(text))
        expect(joined(read) === text).toBe(true)
        const edges = read.slice(1).map((part, index) => `${read[index]!['text']}`.slice(-1) + `${part['text']}`[0])
        expect(edges.filter((edge) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(edge))).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  test('fits into a message part by part, even where JSON makes six bytes of each character', () => {
    const { keep, parts } = keeping()
    for (const part of parts(keep('\u0001'.repeat(limits.keptTextPartMax + 1)))) {
      expect(Buffer.byteLength(JSON.stringify({ contents: [part] }))).toBeLessThan(4 * mebibyte)
    }
  })
})

test('bytes are cut anywhere: their base64 joined is the base64 of all [CB-104]', () => {
  const { keep, parts } = keeping()
  const bytes = Buffer.alloc(limits.keptBlobPartBytesMax + 2, 'abcdefg')
  const links = keep(bytes)
  expect(links?.map(({ size }) => size)).toEqual([limits.keptBlobPartBytesMax, 2])
  const base64 = parts(links)
    .map((part) => part['blob'])
    .join('')
  expect(base64 === bytes.toString('base64')).toBe(true)
})

describe('what is kept', () => {
  test('is there for its owner and for nobody else [CB-103]', () => {
    const { keep, read } = keeping()
    const [link] = keep('mine')!
    expect(read(link)).toEqual({ uri: link!.uri, mimeType: 'text/plain', text: 'mine' })
    expect(read(link, 'agent:eve')).toBeUndefined()
  })

  test.each(['', '/', '/1', '/-1', '/00', '/0x0', '/0/0', '/0?', '/__proto__', '/length'])(
    'has one URI for each part: not %s',
    (tail) => {
      const { keep, kept } = keeping()
      const uri = keep('mine')![0]!.uri
      expect(kept.read('agent:ada', uri.replace(/\/0$/, tail))).toBeUndefined()
    },
  )

  test('is not found under another instance or service', () => {
    const { keep, kept } = keeping()
    const uri = keep('mine')![0]!.uri
    expect(kept.read('agent:ada', uri.replace(keeperOf('i'), keeperOf('j')))).toBeUndefined()
    expect(kept.read('agent:ada', uri.replace('//s/', '//t/'))).toBeUndefined()
    expect(parseKeptUri(uri)?.keeper).toBe(keeperOf('i'))
  })

  test('ends after its time, whether anybody asks or not', () => {
    const { clock, kept, keep, read } = keeping()
    const [link] = keep('mine')!
    clock.now += limits.keptMs - 1
    expect(read(link)).toBeDefined()
    clock.now += 1
    expect(read(link)).toBeUndefined()
    keep('again')
    clock.now += limits.keptMs
    kept.sweep()
    expect(kept.count).toBe(0)
  })

  test('has a bound each', () => {
    const { keep } = keeping()
    expect(keep(new Uint8Array(limits.keptBytesEachMax))).toBeDefined()
    expect(keep(new Uint8Array(limits.keptBytesEachMax + 1))).toBeUndefined()
  })

  test('makes room for the newest of its own owner, and never for another one', () => {
    const { keep, read } = keeping()
    const large = new Uint8Array(limits.keptBytesEachMax)
    const [first] = keep(large, 'agent:ada')!
    const [second] = keep(large, 'agent:ada')!
    const [third] = keep(large, 'agent:ada')!
    expect([first, second, third].map((link) => read(link) !== undefined)).toEqual([false, true, true])
    expect(keep(large, 'agent:bob')).toBeDefined()
    expect(keep(large, 'agent:bob')).toBeDefined()
    expect(keep(large, 'agent:eve')).toBeUndefined()
    expect(read(third)).toBeDefined()
  })

  test('is not lost to a newcomer that finds no room all the same', () => {
    const { keep, read } = keeping()
    const large = new Uint8Array(limits.keptBytesEachMax)
    const [first] = keep(large, 'agent:0')!
    for (const owner of ['agent:1', 'agent:2', 'agent:3']) keep(large, owner)
    expect(keep('x', 'agent:0')).toBeUndefined()
    expect(read(first, 'agent:0')).toBeDefined()
  })

  test('is counted, however small: of an owner, whose oldest goes, and of all', () => {
    const { kept, keep, read } = keeping()
    const [first] = keep('x')!
    for (let count = 1; count < limits.keptCountPerOwnerMax; count++) keep('x')
    expect(read(first)).toBeDefined()
    keep('x')
    expect(read(first)).toBeUndefined()
    expect(kept.count).toBe(limits.keptCountPerOwnerMax)
    while (kept.count < limits.keptCountMax) keep('x', `agent:${kept.count}`)
    expect(keep('x', 'agent:eve')).toBeUndefined()
  })
})
