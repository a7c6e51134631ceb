import { expect, test } from 'vitest'
import { speakerKey, speakersOf } from '../../src/speakers/speakers-of.js'

const turn = (label: string, sample = 'words') => ({ label, characters: sample.length, sample })

test('turns are counted by speaker; case and blanks do not matter', () => {
  const turns = [turn('ANNA', 'one'), turn('Ben', 'two'), turn('Anna  B'), turn('Anna'), turn('anna b'), turn('Anna')]
  expect(speakersOf(turns, { minTurns: 1 })).toEqual([
    { label: 'Anna', key: 'anna', turns: 3, characters: 13, sample: 'one', codeId: null },
    { label: 'Anna  B', key: 'anna b', turns: 2, characters: 10, sample: 'words', codeId: null },
    { label: 'Ben', key: 'ben', turns: 1, characters: 3, sample: 'two', codeId: null },
  ])
  expect(speakerKey('Ame\u0301lie')).toBe(speakerKey('AM\u00c9LIE'))
})

test('those with few turns are left out, unless the caller chose a code for them', () => {
  const turns = [turn('Anna'), turn('Anna'), turn('Ben'), turn('Cem'), turn('Cem'), turn('Dora')]
  const codes = { BEN: 7, cem: null, Nobody: 9 }
  expect(speakersOf(turns, { minTurns: 2, codes }).map(({ label, codeId }) => [label, codeId])).toEqual([
    ['Anna', null],
    ['Ben', 7],
  ])
})

test('labels that are names of properties are labels', () => {
  const turns = [turn('constructor'), turn('__proto__')]
  expect(speakersOf(turns, { minTurns: 1 }).map(({ label }) => label)).toEqual(['constructor', '__proto__'])
})
