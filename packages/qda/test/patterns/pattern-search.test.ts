import { systemClock } from '@callboard/worker/clock'
import { VirtualClock } from '@callboard/worker/testing'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { PatternSearch } from '../../src/patterns/pattern-search.js'

const timeoutMs = 2_000
let clock = new VirtualClock()
let search = new PatternSearch({ clock, timeoutMs })

afterEach(async () => {
  await search.close()
  clock = new VirtualClock()
  search = new PatternSearch({ clock, timeoutMs })
})

type Query = Parameters<PatternSearch['search']>[1]
const query = (pattern: string, options: Partial<Query> = {}): Query => ({
  pattern,
  match: 'literal',
  caseSensitive: false,
  scope: 'all',
  ...options,
})

/** What was found in one text, as text. */
async function findIn(text: string, pattern: string, options: Partial<Query> = {}): Promise<string[]> {
  const { texts } = await search.search([{ id: 1, text }], query(pattern, options))
  return texts.flatMap(({ matches }) => matches.map(({ start, end }) => `${start}:${text.slice(start, end)}`))
}

/** Never ends for a person who waits. */
const endless = [{ id: 1, text: `${'a'.repeat(60)}b` }] as const
const catastrophic = query('(a+)+$', { match: 'regex' })

/** Until somebody sleeps on the virtual clock: a search is under way then. */
async function untilAsleep(): Promise<void> {
  while (clock.nextWake === undefined) await new Promise((resolve) => setImmediate(resolve))
}

test('a literal is found whatever its case, from left to right, without overlap', async () => {
  expect(await findIn('Aha, AHAHA.', 'aha')).toEqual(['0:Aha', '5:AHA'])
  expect(await findIn('Aha, AHAHA.', 'AHA', { caseSensitive: true })).toEqual(['5:AHA'])
  expect(await findIn('a.c abc (x) 1/2 [a-z]\\', '.')).toEqual(['1:.'])
  expect(await findIn('a.c abc (x) 1/2 [a-z]\\', '[a-z]\\')).toEqual(['16:[a-z]\\'])
})

test('offsets are those of the text as it is, also where lower case has another length', async () => {
  expect(await findIn('İİ😀 Straße STRASSE', 'straße')).toEqual(['5:Straße'])
  expect(await findIn('😀😀x', '😀')).toEqual(['0:😀', '2:😀'])
})

test('half a character is not found', async () => {
  expect(await findIn('😀', '\ud83d')).toEqual([])
  expect(await findIn('x\ud83dx', '\ud83d')).toEqual(['1:\ud83d'])
})

test('a word has no letter, number, underscore or combining mark beside it', async () => {
  const word = { match: 'word' } as const
  expect(await findIn('art, part arts art_ art2 "Art"', 'art', word)).toEqual(['0:art', '26:Art'])
  expect(await findIn('éart artσ art\u0301 art-art', 'art', word)).toEqual(['15:art', '19:art'])
  expect(await findIn('I like C++ and C+++', 'c++', word)).toEqual(['7:C++', '15:C++'])
})

test('a regex sees Unicode; empty matches are skipped', async () => {
  const regex = { match: 'regex' } as const
  expect(await findIn('ÄÖ 12 😀', '\\p{Lu}+|.$', regex)).toEqual(['0:ÄÖ', '6:😀'])
  expect(await findIn('😀ab', 'b*', regex)).toEqual(['3:b'])
  expect(await findIn('😀a😀', '(?:)', regex)).toEqual([])
  expect(await findIn('one\ntwo', '^\\w+$', regex)).toEqual([])
  expect(await findIn('one\ntwo', '^\\w+$', { ...regex, multiline: true })).toEqual(['0:one', '4:two'])
})

test('the first or the last of each text', async () => {
  const texts = ['x1 x2 x3', 'none', 'x4 x5'].map((text, id) => ({ id, text }))
  const starts = async (scope: 'first' | 'last') =>
    (await search.search(texts, query('x', { scope }))).texts.map(({ id, matches }) => [
      id,
      ...matches.map(({ start }) => start),
    ])
  expect(await starts('first')).toEqual([
    [0, 0],
    [2, 0],
  ])
  expect(await starts('last')).toEqual([
    [0, 6],
    [2, 3],
  ])
})

test('limits leave matches out, and say so', async () => {
  const texts = ['xxx', 'x', 'xx'].map((text, id) => ({ id, text }))
  const counts = async (options: Partial<Query>) => {
    const { texts: found, total, isCut } = await search.search(texts, query('x', options))
    return { counts: found.map(({ matches }) => matches.length), total, isCut }
  }
  expect(await counts({})).toEqual({ counts: [3, 1, 2], total: 6, isCut: false })
  expect(await counts({ limitPerText: 2 })).toEqual({ counts: [2, 1, 2], total: 5, isCut: true })
  expect(await counts({ limitPerText: 3, limitTotal: 6 })).toEqual({ counts: [3, 1, 2], total: 6, isCut: false })
  expect(await counts({ limitTotal: 4 })).toEqual({ counts: [3, 1], total: 4, isCut: true })
  expect(await counts({ limitTotal: 2, scope: 'last' })).toEqual({ counts: [1, 1], total: 2, isCut: true })
})

test('a full search reads no more texts', async () => {
  let read = 0
  const texts = function* () {
    for (; read < 1_000; read++) yield { id: read, text: 'x'.repeat(300_000) }
  }
  const { total, isCut } = await search.search(texts(), query('x', { limitTotal: 5 }))
  expect({ total, isCut }).toEqual({ total: 5, isCut: true })
  expect(read).toBeLessThan(20)
})

test('no pattern brings back more matches than memory has room for', async () => {
  const { total, isCut } = await search.search([{ id: 1, text: 'x'.repeat(300_000) }], query('x'))
  expect({ total, isCut }).toEqual({ total: 200_000, isCut: true })
})

test('the place of group 1, where it took part', async () => {
  const { texts } = await search.search(
    [{ id: 'a', text: 'P1: x\n-- y\n' }],
    query('(P\\d):|--', { match: 'regex', withGroup: true }),
  )
  expect(texts).toEqual([
    {
      id: 'a',
      matches: [
        { start: 0, end: 3, group: { start: 0, end: 2 } },
        { start: 6, end: 8 },
      ],
    },
  ])
})

test('many texts, in any number of batches, from what has to be waited for', async () => {
  const texts = async function* () {
    for (let id = 0; id < 5_000; id++) yield { id, text: `${'.'.repeat(id % 1_500)}Needle` }
  }
  const { texts: found, total } = await search.search(texts(), query('needle'))
  expect(total).toBe(5_000)
  expect(found.every(({ id, matches }, index) => id === index && matches[0]!.start === id % 1_500)).toBe(true)
})

test.each([
  ['(', 'Unterminated group'],
  ['[z-a]', 'Range out of order in character class'],
  ['a/b: (', 'Unterminated group'],
  ['\\p{Nothing}', 'Invalid property name'],
])('the regex %s is refused with the reason', async (pattern, reason) => {
  await expect(search.search([], query(pattern, { match: 'regex' }))).rejects.toMatchObject({
    code: 'INVALID_PATTERN',
    message: `The pattern can't be used: ${reason}.`,
    extras: { details: { reason } },
  })
})

test('so are an empty pattern, a long one, and one without the group that is wanted', async () => {
  const invalid = { code: 'INVALID_PATTERN' }
  await expect(search.search([], query(''))).rejects.toMatchObject(invalid)
  await expect(search.search([], query('x'.repeat(10_001)))).rejects.toMatchObject(invalid)
  await expect(search.search([], query('(?:x)', { match: 'regex', withGroup: true }))).rejects.toMatchObject(invalid)
})

test('a regex that has to remember too much is refused, and the next search works', async () => {
  const texts = [{ id: 1, text: 'a'.repeat(4_000_000) }]
  await expect(search.search(texts, query('^(?:(a)|(b))*c', { match: 'regex' }))).rejects.toMatchObject({
    code: 'INVALID_PATTERN',
    message: "The pattern can't be used: Maximum call stack size exceeded.",
  })
  expect(await findIn('abc', 'b')).toEqual(['1:b'])
})

test('each text that has matches is handed on, in order, and the next one waits for it', async () => {
  const texts = ['ab', 'c', 'b', 'bb'].map((text, id) => ({ id, text }))
  const taken: string[] = []
  await search.search(texts, query('b'), async ({ id, text }, matches) => {
    await new Promise((resolve) => setImmediate(resolve))
    taken.push(`${id} ${text} ${matches.map(({ start }) => start).join()}`)
  })
  expect(taken).toEqual(['0 ab 1', '2 b 0', '3 bb 0,1'])
  const fails = () => Promise.reject(new Error('full'))
  await expect(search.search(texts, query('b'), fails)).rejects.toThrow('full')
})

test('a catastrophic regex ends in PATTERN_TIMEOUT, and the next search works', async () => {
  const searching = expect(search.search(endless, catastrophic)).rejects.toMatchObject({
    code: 'PATTERN_TIMEOUT',
    extras: { details: { timeout_ms: timeoutMs } },
  })
  await untilAsleep()
  clock.advance(timeoutMs)
  await searching
  expect(await findIn('abc', 'b')).toEqual(['1:b'])
})

test('it does so by the clock of the machine, too', async () => {
  await using real = new PatternSearch({ clock: systemClock, timeoutMs: 50 })
  await expect(real.search(endless, catastrophic)).rejects.toMatchObject({ code: 'PATTERN_TIMEOUT' })
})

test('all texts of a search have the time together', async () => {
  const texts = function* () {
    yield { id: 1, text: 'x'.repeat(1_000_000) }
    yield { id: 2, text: 'x'.repeat(1_000_000) }
    clock.advance(timeoutMs - 1)
    yield { id: 3, text: 'x' }
    clock.advance(1)
  }
  await expect(search.search(texts(), query('y'))).rejects.toMatchObject({ code: 'PATTERN_TIMEOUT' })
})

test('what the reading of texts takes is not counted', async () => {
  const texts = async function* () {
    yield { id: 1, text: 'x'.repeat(1_000_000) }
    yield { id: 2, text: 'x'.repeat(1_000_000) }
    while (clock.nextWake !== undefined) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(60_000)
    yield { id: 3, text: 'y' }
  }
  expect((await search.search(texts(), query('y'))).total).toBe(1)
})

test('a caller who gives up ends the search, with its reason', async () => {
  const abort = new AbortController()
  const searching = expect(search.search(endless, { ...catastrophic, signal: abort.signal })).rejects.toThrow('enough')
  await untilAsleep()
  abort.abort(new Error('enough'))
  await searching
  await expect(search.search([], query('x', { signal: abort.signal }))).rejects.toThrow('enough')
  expect(await findIn('abc', 'b')).toEqual(['1:b'])
})

test('a text that cannot be read ends the search with that error, and the next search works', async () => {
  const texts = function* () {
    yield { id: 1, text: 'x'.repeat(2_000_000) }
    yield { id: 2, text: 'x'.repeat(2_000_000) }
    throw new Error('unreadable')
  }
  await expect(search.search(texts(), query('y'))).rejects.toThrow('unreadable')
  expect(await findIn('abc', 'b')).toEqual(['1:b'])
})

test('two search at once; the third waits, may give up, and has its time when its turn comes', async () => {
  const abort = new AbortController()
  const two = Promise.allSettled([search.search(endless, catastrophic), search.search(endless, catastrophic)])
  const impatient = expect(search.search([], query('x', { signal: abort.signal }))).rejects.toThrow('enough')
  const patient = findIn('abc', 'b')
  abort.abort(new Error('enough'))
  await impatient
  await untilAsleep()
  clock.advance(timeoutMs)
  clock.advance(timeoutMs)
  expect((await two).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await patient).toEqual(['1:b'])
})

test('a thread without work is ended in time; the next search starts another', async () => {
  expect(await findIn('abc', 'b')).toEqual(['1:b'])
  expect(clock.nextWake).toBe(clock.now() + 60_000)
  clock.advance(60_000)
  expect(clock.nextWake).toBeUndefined()
  expect(await findIn('abc', 'c')).toEqual(['2:c'])
})

test('close gives up what runs and what waits, and may be called again', async () => {
  const stopping = { code: 'WORKER_UNAVAILABLE' }
  const searching = [1, 2, 3].map(() => expect(search.search(endless, catastrophic)).rejects.toMatchObject(stopping))
  await untilAsleep()
  await search.close()
  await Promise.all(searching)
  await search.close()
  await expect(search.search([], query('x'))).rejects.toMatchObject(stopping)
})

test('any literal is found where it stands', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
      fc.string(),
      async (pattern, rest) => {
        const text = `${rest}\n${pattern}\n`
        const { texts } = await search.search([{ id: 1, text }], query(pattern, { caseSensitive: true }))
        expect(texts[0]!.matches.every(({ start, end }) => text.slice(start, end) === pattern)).toBe(true)
        expect(texts[0]!.matches[0]!.start).toBe(text.indexOf(pattern))
      },
    ),
  )
})
