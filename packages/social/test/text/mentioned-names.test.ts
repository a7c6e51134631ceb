import { expect, it } from 'vitest'
import { mentionedNames, withoutNames } from '../../src/text/mentioned-names.js'

it.each([
  ['@ada@example.org @bob.example.com. Hi', ['@ada@example.org', '@bob.example.com']],
  ['(@Ada), @ada_b-c!', ['@Ada', '@ada_b-c']],
  ['mail me@x.org, see https://e.example/@ada', []],
  ['@@ada and @', []],
  ['', []],
])('%j addresses %j', (text, names) => {
  expect(mentionedNames(text)).toEqual(names)
})

it('nothing else of a text is lost with its names', () => {
  expect(withoutNames('@ada@example.org So do I, me@x.org').trim()).toBe('So do I, me@x.org')
})
