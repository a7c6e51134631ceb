import { expect, it } from 'vitest'
import { policyOf, problemsOf } from './read.js'

const rule = (more: object) => ({ rules: [{ who: ['*'], do: 'call', ...more }] })
const many = (count: number) => Array.from({ length: count }, (_, index) => `agent:a${index}`)
const named = (count: number) => Object.fromEntries(many(count).map((one, index) => [`role${index}`, [one]]))
const hiding = (count: number) => Array.from({ length: count }, () => ({ who: ['*'], do: 'hide' }))

it.each([
  ['rules', { rules: hiding(1_000) }, { rules: hiding(1_001) }, 'rules: must have at most 1000 rules.'],
  [
    'roles',
    { rules: [], roles: named(1_000) },
    { rules: [], roles: named(1_001) },
    'roles: must have at most 1000 names.',
  ],
  ['entries', rule({ who: many(1_000) }), rule({ who: many(1_001) }), 'rules[0].who: must have at most 1000 entries.'],
  [
    'calls',
    rule({ rate: { calls: 1_000_000, per: '1d' } }),
    rule({ rate: { calls: 1_000_001, per: '1d' } }),
    'rules[0].rate.calls: must be at most 1000000.',
  ],
])('takes as many %s as it says, and no more', (_, good, bad, problem) => {
  expect(problemsOf(good)).toEqual([])
  expect(problemsOf(bad)).toEqual([problem])
})

it('says 100 problems, and how many more there are', () => {
  const broken = (count: number) => problemsOf({ rules: Array.from({ length: count }, () => 7) })
  expect(broken(100)).toHaveLength(100)
  expect(broken(100).at(-1)).toMatch(/^rules\[99\]: must be an object/)
  expect(broken(102)).toHaveLength(101)
  expect(broken(102).at(-1)).toBe('and 2 more problems.')
})

it.each([
  [
    'a role with a space in its name',
    { rules: [], roles: { 'the staff': ['*'] } },
    /^roles: "the staff" must have 1 to 64/,
  ],
  [
    'a condition of prompts',
    rule({ tools: ['*'], prompts: ['*'], when: {} }),
    /prompts and resources need a rule of their own\.$/,
  ],
  [
    'a condition of resources',
    rule({ tools: ['*'], resources: ['*'], when: {} }),
    /prompts and resources need a rule of their own\.$/,
  ],
  ['a rate that is a number', rule({ rate: 7 }), 'rules[0].rate: must be an object, like {"calls": 10, "per": "1m"}.'],
  ['records without what to leave out', rule({ audit: {} }), /^rules\[0\]\.audit: must be "none", "hash", "full"/],
  [
    'what is neither hidden nor shown nor called, once',
    { rules: [{ who: ['*'], tools: ['*'], when: {} }] },
    'rules[0]: do is missing.',
  ],
])('refuses %s', (_, file, problem) => {
  expect(problemsOf(file)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
})

it('a role may be everybody', () => {
  const policy = policyOf({ roles: { all: ['*'] }, rules: [{ who: ['all'], do: 'hide' }] })
  const tool = { kind: 'tool', service: 'kernel', key: 'run', workerKey: 'run' } as const
  expect(policy.decide({ principal: 'agent:ada', roles: ['agent'] }, tool).effect).toBe('hide')
})

it.each(['none', 'hash', 'full'] as const)('arguments may be recorded as %s', (audit) => {
  expect(policyOf({ audit, rules: [] }).content.audit).toEqual({ kind: audit })
})

it.each([
  ['1s', 1_000],
  ['1m', 60_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
])('%s are %d ms', (per, perMs) => {
  expect(policyOf(rule({ rate: { calls: 2, per, burst: 1, each: 'all' } })).limits).toMatchObject([
    { calls: 2, perMs, burst: 1, each: 'all' },
  ])
})
