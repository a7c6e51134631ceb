import { VirtualClock } from '@callboard/worker/testing'
import { expect, test } from 'vitest'
import { PatternSearch } from '../../src/patterns/pattern-search.js'
import { findTurns } from '../../src/speakers/find-turns.js'
import { markersOfMatches } from '../../src/speakers/markers-of-matches.js'

async function turnsBy(pattern: string, text: string) {
  await using search = new PatternSearch({ clock: new VirtualClock(), timeoutMs: 2_000 })
  const query = {
    pattern,
    match: 'regex',
    caseSensitive: true,
    multiline: true,
    scope: 'all',
    withGroup: true,
  } as const
  const { texts } = await search.search([{ id: 1, text }], query)
  const markers = markersOfMatches(text, texts[0]?.matches ?? [])
  return [...findTurns(text, markers)].map(({ label, pieces }) => [
    label,
    ...pieces.map(({ start, end }) => text.slice(start, end)),
  ])
}

test('group 1 of a match is the label of a turn', async () => {
  expect(await turnsBy('^\\*\\*(.+?):\\*\\*', '**Anna:** a\nb\n**Ben:** c [00:12] d')).toEqual([
    ['Anna', 'a\nb'],
    ['Ben', 'c', 'd'],
  ])
})

test('a match counts at the start of a line, also with the line break before it', async () => {
  expect(await turnsBy('(P\\d):', 'P1: asks P2: or\n  P3: me')).toEqual([
    ['P1', 'asks P2: or'],
    ['P3', 'me'],
  ])
  expect(await turnsBy('(?:^|\\n)(P\\d)\\n', 'P1\na\nP2\nb')).toEqual([
    ['P1', 'a'],
    ['P2', 'b'],
  ])
})

test('without a label, or with one that is too long, a match is no marker', async () => {
  expect(await turnsBy('^(?:(\\w+)|-)(?: *):', `-: a\n${'x'.repeat(64)}: b\nAnna : c`)).toEqual([['Anna', 'c']])
  expect(await turnsBy('^([ \\w]+):', ` : a\n${'x'.repeat(63)} : b`)).toEqual([['x'.repeat(63), 'b']])
})

test('a million matches that begin no line are no trouble', () => {
  const text = `x${' '.repeat(2_000_000)}`
  const matches = Array.from({ length: 1_000_000 }, (_, index) => ({
    start: 1_000_000 + index,
    end: 1_000_001 + index,
    group: { start: 0, end: 1 },
  }))
  expect([...markersOfMatches(text, matches)]).toEqual([])
})
