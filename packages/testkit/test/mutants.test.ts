import { expect, test } from 'vitest'
import { mutants } from '../src/mutants.js'
import { builtText, mutated, runMutants } from '../src/mutation-run.js'

test.each(mutants)('there is a line for: $name', (mutant) => {
  expect(mutated(builtText(mutant), mutant)).not.toBe(builtText(mutant))
})

test('a change that fits no line, or more than one, is refused', () => {
  const mutant = { name: 'any', file: '', from: 'one', to: 'two' }
  expect(() => mutated('none', { ...mutant, from: 'absent' })).toThrow('fits no line, or more than one')
  expect(() => mutated('one one', mutant)).toThrow('fits no line, or more than one')
  expect(mutated('one behind one', { ...mutant, behind: 'behind' })).toBe('one behind two')
})

// The rest takes minutes: `npm run simulate:mutants`.
const quick = new Set(['one call more than there are credits', 'children are not cancelled with their parent'])

test('quick ones are found', async () => {
  const chosen = mutants.filter(({ name }) => quick.has(name))
  const fates = await runMutants(chosen, { seeds: 20, jobs: 1 })
  expect(fates.map(({ mutant, foundAfter }) => [mutant.name, foundAfter !== undefined])).toEqual(
    [...quick].map((name) => [name, true]),
  )
}, 120_000)
