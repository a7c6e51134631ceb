import { describe, expect, it } from 'vitest'
import { formatAction, parseAction } from '../src/session/action.js'
import { fits, matches } from '../src/session/rule.js'
import { formatTrigger, parseTrigger } from '../src/session/trigger.js'

describe('trigger strings', () => {
  it.each([
    'beat:4',
    'beat:4+1',
    'beat:0.25',
    'at:32',
    'at:0',
    'marker:drop: two',
    'every:2.5s',
    'after:10s',
    'event:job.*',
  ])('%s is read and written alike', (text) => expect(formatTrigger(parseTrigger(text))).toBe(text))

  it.each([
    ['beet:4', /"beet:4" is not a trigger \(did you mean beat\?\)\. There are beat:4 or beat:4\+1, at:32/],
    ['beat:0', /from 0\.25 to/],
    ['beat:0.2', /from 0\.25 to/],
    ['beat:nan', /must be a number from/],
    ['beat:4+', /The offset of/],
    ['beat:4+-1', /from 0 to/],
    ['at:-1', /from 0 to/],
    ['at:', /must be a number/],
    ['at:0x10', /must be a number/],
    ['marker:', /1 to 64 characters/],
    ['every:2.5', /needs its unit/],
    ['every:0s', /from 0\.05 to/],
    ['event:a b', /An event pattern has/],
    ['', /is not a trigger/],
  ])('%s is refused in words', (text, message) => {
    expect(() => parseTrigger(text)).toThrow(
      expect.objectContaining({ kind: 'ValueError', message: expect.stringMatching(message) }),
    )
  })
})

describe('action strings', () => {
  it.each([
    'call:fn',
    'eval:x = 1\nprint(x)',
    'play',
    'pause',
    'stop',
    'seek:16',
    'tempo:140',
    'emit:mix.ready',
    'notify:soon: now',
    'tool:clock_now {"zone":"UTC"}',
  ])('%s is read and written alike', (text) => expect(formatAction(parseAction(text))).toBe(text))

  it('a tool without arguments gets none', () => {
    expect(parseAction('tool:clock')).toEqual({ kind: 'tool', name: 'clock', arguments: {} })
  })

  it.each([
    ['plai', /"plai" is not an action \(did you mean play\?\)\. There are call:fn, eval:<code>, play/],
    ['play:4', /play stands alone/],
    ['seek:-1', /from 0 to/],
    ['tempo:1000', /from 1 to 999/],
    ['emit:two words', /An event name has/],
    ['notify:', /1 to 1000 characters/],
    ['tool:', /tool:name \{json\}/],
    ['tool:clock [1]', /must be a JSON object/],
    ['tool:clock {', /must be a JSON object/],
  ])('%s is refused in words', (text, message) => {
    expect(() => parseAction(text)).toThrow(
      expect.objectContaining({ kind: 'ValueError', message: expect.stringMatching(message) }),
    )
  })
})

it.each([
  ['job.*', 'job.completed', true],
  ['job.*', 'job.', true],
  ['job.*', 'jobs.x', false],
  ['*', 'anything', true],
  ['a*b*c', 'a1b2b3c', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['job', 'job.x', false],
  ['*.*', 'a', false],
])('pattern %s, type %s: %s', (pattern, type, expected) => {
  expect(matches(pattern, type)).toBe(expected)
})

it('a filter compares whole values, and finds one in a list', () => {
  expect(fits({ a: { b: [1, 2] } }, { a: { b: [1, 2] }, c: 1 })).toBe(true)
  expect(fits({ a: { b: [1, 2] } }, { a: { b: [2, 1] } })).toBe(false)
  expect(fits({ tag: 'x' }, { tag: ['y', 'x'] })).toBe(true)
  expect(fits({ toString: 1 }, {})).toBe(false)
  expect(fits({ a: 1 }, null)).toBe(false)
})
