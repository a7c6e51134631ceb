import { describe, expect, it } from 'vitest'
import { type Extraction, extractFrom, extractionProblem, parseExtraction } from '../../src/runners/extraction.js'

const read = (text: string, value: unknown) => extractFrom(value, parseExtraction(text) as Extraction)

describe('where a value stands', () => {
  it.each([
    ['result', { result: 'r' }, 'r'],
    ['json:result', { result: 'r' }, 'r'],
    ['ndjson:part.text', { part: { text: 't' } }, 't'],
    ['json:choices.1.text', { choices: [{ text: 'a' }, { text: 'b' }] }, 'b'],
    ['ndjson:part.text[type=text]', { type: 'text', part: { text: 't' } }, 't'],
    ['ndjson:part.text[type=text]', { type: 'reasoning', part: { text: 't' } }, undefined],
    ['ndjson-last:a[b.c=1, d=true]', { a: 'x', b: { c: 1 }, d: true }, 'x'],
    ['ndjson-last:a[b.c=1, d=true]', { a: 'x', b: { c: 1 }, d: false }, undefined],
    ['json:a.b', { a: 'text' }, undefined],
    ['json:a', { a: null }, undefined],
    ['json:constructor.name', {}, undefined],
    ['json:a', 'text', undefined],
    ['json:a', null, undefined],
  ])('%s', (text, value, expected) => {
    expect(extractionProblem(text)).toBeUndefined()
    expect(read(text, value)).toEqual(expected)
  })

  it.each([
    ['', /must be a path/],
    ['json:', /must be a path/],
    ['json:a..b', /must be a path/],
    ['xml:a', /"xml" must be json, ndjson or ndjson-last/],
    ['json:a[b]', /conditions must be like/],
    ['json:a[]', /conditions must be like/],
    ['json:a[b=c', /must be a path/],
    ['$.result[*]', /conditions must be like/],
    [`json:${'a.'.repeat(20)}a`, /at most 16/],
    ['x'.repeat(600), /at most 512/],
  ])('%s is refused, with a reason', (text, reason) => {
    expect(extractionProblem(text)).toMatch(reason)
  })
})
