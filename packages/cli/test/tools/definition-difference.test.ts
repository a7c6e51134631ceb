import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences } from '../../src/tools/definition-difference.js'
import { comparedLinesMax } from '../../src/tools/limits.js'

/** A line a step, with its mark and, where it changes, its path. */
const shown = (before: unknown, after: unknown): string[] =>
  differences(before, after).map(({ mark, path, text }) => `${mark} ${path === '' ? '' : `${path}: `}${text}`)

describe('two definitions', () => {
  it('that are equal but for the order of their keys differ in nothing', () => {
    const before = { name: 'greet', inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: {} } } }
    const after = { inputSchema: { properties: { b: {}, a: { type: 'string' } }, type: 'object' }, name: 'greet' }
    expect(shown(before, after)).toEqual([])
    expect(shown({ list: [{ a: 1, b: 2 }] }, { list: [{ b: 2, a: 1 }] })).toEqual([])
  })

  it('are compared member by member, however deep', () => {
    const before = { name: 'greet', inputSchema: { properties: { age: { minimum: 1 }, gone: true } } }
    const after = { name: 'greet', inputSchema: { properties: { age: { minimum: 2 }, new: null } } }
    expect(shown(before, after)).toEqual([
      '- inputSchema.properties.age.minimum: 1',
      '+ 2',
      '- inputSchema.properties.gone: true',
      '+ inputSchema.properties.new: null',
    ])
  })

  it('of which the first is nothing are all new', () => {
    expect(shown({}, { name: 'greet', roles: ['operator'] })).toEqual([
      '+ name: greet',
      '+ roles: [',
      '+   "operator"',
      '+ ]',
    ])
  })

  it.each([
    [{ a: 'text' }, { a: ['text'] }, ['- a: text', '+ [', '+   "text"', '+ ]']],
    [{ a: {} }, { a: [] }, ['- a: {}', '+ []']],
    [{ a: null }, { a: {} }, ['- a: null', '+ {}']],
    [{ a: '' }, {}, ['- a: ']],
    [{ a: [1, 2] }, { a: [2, 1] }, ['- a: [', '-   1,', '-   2', '- ]', '+ [', '+   2,', '+   1', '+ ]']],
  ])('may differ in kind, too: %j and %j', (before, after, lines) => expect(shown(before, after)).toEqual(lines))

  it('have members of any name, also of those that every object has', () => {
    expect(shown({}, JSON.parse('{"__proto__":1,"toString":2}'))).toEqual(['+ __proto__: 1', '+ toString: 2'])
    expect(shown({}, { 'a.b': 1, 'c\nd': 2, '0': 3 })).toEqual(['+ "0": 3', '+ "a.b": 1', '+ "c\\nd": 2'])
  })
})

describe('two texts', () => {
  const texts = (before: string, after: string) => shown({ description: before }, { description: after })

  it('are compared sentence by sentence and line by line', () => {
    expect(texts('Says hello. Takes nothing.\nEnds.', 'Says hello. Send keys! Takes nothing.\nEnds.')).toEqual([
      '  description: Says hello.',
      '+ Send keys!',
      '  Takes nothing.',
      '  Ends.',
    ])
    expect(texts('One. Two. Three.', 'One. Three.')).toEqual(['  description: One.', '- Two.', '  Three.'])
    expect(texts('One.', 'Two.')).toEqual(['- description: One.', '+ Two.'])
  })

  it('show what they have in common in their midst', () => {
    expect(texts('A. B. C. D.', 'X. B. Y. C. D. Z.')).toEqual([
      '- description: A.',
      '+ X.',
      '  B.',
      '+ Y.',
      '  C.',
      '  D.',
      '+ Z.',
    ])
  })

  it('of which one is said twice lose one of the two', () => {
    expect(texts('A. A.', 'A.')).toEqual(['  description: A.', '- A.'])
    expect(texts('A.', 'A. A.')).toEqual(['  description: A.', '+ A.'])
  })

  it('that differ only in the space between sentences are both shown whole', () => {
    expect(texts('One. Two.', 'One.  Two.')).toEqual(['- description: One. Two.', '+ One.  Two.'])
    expect(texts('One. Two.', 'One.\nTwo.')).toEqual(['- description: One. Two.', '+ One.', '+ Two.'])
  })

  it.each([
    ['the first', comparedLinesMax, 1],
    ['the second', 1, comparedLinesMax],
  ])('of very many sentences, be it only %s, are compared at their ends alone', (_, before, after) => {
    const textOf = (word: string, count: number) =>
      [
        'Same.',
        ...Array.from({ length: count }, (_, index) => `${word} ${index}.`),
        'Shared.',
        `${word}.`,
        'End.',
      ].join(' ')
    const common = (one: number, other: number) =>
      texts(textOf('old', one), textOf('new', other)).filter((line) => line.startsWith('  '))
    expect(common(before, after)).toEqual(['  description: Same.', '  End.'])
    // In the midst of each are two more.
    const fitting = (count: number) => Math.min(count, comparedLinesMax - 2)
    expect(common(fitting(before), fitting(after))).toEqual(['  description: Same.', '  Shared.', '  End.'])
  })
})

describe('whatever the definitions', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const sentence = fc.array(fc.constantFrom('One.', 'Two.', 'Three.', ' ', '\n'), { maxLength: 8 })
  const text = sentence.map((parts) => parts.join(''))

  it('none is said to be another when it is the same', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(differences({ one }, { one: structuredClone(one) })).toEqual([])
      }),
    )
  })

  it('no sentence that both have is said to be other without need', () => {
    const sentences = fc.array(fc.constantFrom('A.', 'B.', 'C.'), { maxLength: 7 })
    const commonMost = (one: readonly string[], other: readonly string[]): number => {
      const [[first, ...rest], [second, ...others]] = [one, other]
      if (first === undefined || second === undefined) return 0
      if (first === second) return 1 + commonMost(rest, others)
      return Math.max(commonMost(rest, other), commonMost(one, others))
    }
    fc.assert(
      fc.property(sentences, sentences, (one, other) => {
        fc.pre(one.length > 0 && other.length > 0 && one.join() !== other.join())
        const lines = differences(one.join(' '), other.join(' '))
        expect(lines.filter(({ mark }) => mark === ' ')).toHaveLength(commonMost(one, other))
      }),
    )
  })

  it('a text that is another shows so', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = differences({ before }, { before: after })
        expect(lines.some(({ mark }) => mark !== ' ')).toBe(before !== after)
        const side = (mark: '-' | '+') => lines.filter((line) => line.mark !== mark).map((line) => line.text)
        const words = (all: readonly string[]) => all.join(' ').split(/\s+/).join('')
        if (before !== after)
          expect([words(side('+')), words(side('-'))]).toEqual([before, after].map((each) => words([each])))
      }),
    )
  })
})
