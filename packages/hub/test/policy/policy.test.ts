import { describe, expect, it } from 'vitest'
import type { PolicySubject } from '../../src/policy/policy.js'
import { policyOf } from './read.js'

const subject = (kind: PolicySubject['kind'], service: string, key: string, workerKey = key): PolicySubject => ({
  kind,
  service,
  key,
  workerKey,
})
const publish = subject('tool', 'social', 'publish')
const drafts = subject('tool', 'social', 'list_drafts')
const run = subject('tool', 'kernel', 'weave_run')
const renamed = subject('tool', 'forum', 'forum_search', 'search')
const summary = subject('prompt', 'social', 'summary')
const notes = subject('resourceTemplate', 'social', 'note:///{path}')

const caller = (principal: string, more: { worker?: string; roles?: string[] } = {}) => ({
  principal,
  roles: ['agent'],
  ...more,
})
const ada = caller('agent:ada')
const student = caller('agent:student-7')
const boss = caller('agent:boss', { roles: ['agent', 'operator'] })
const http = caller('agent:http')
const oauth = caller('agent:oauth.5b0c7e9a')
const operator = caller('operator:local', { roles: ['agent', 'operator'] })
const scheduler = (principal: string) => caller(principal, { worker: 'worker:scheduler' })

const file = {
  roles: { students: ['agent:student-*', 'agent:oauth.*'], 'the-secret': ['operator:local'] },
  default: 'hide',
  rules: [
    { id: 'tasks-publish', who: ['worker:scheduler'], tools: ['social:publish'], do: 'call' },
    { id: 'no-shell', who: ['students', 'agent:http'], services: ['kernel'], do: 'hide' },
    { id: 'look', who: ['students'], tools: ['social:pub*'], do: 'show' },
    { id: 'decide', who: ['operator'], services: ['*'], do: 'call' },
    { id: 'read', who: ['*'], tools: ['list_*', 'weave_*', 'search'], do: 'call' },
    { id: 'public', who: ['*'], resources: ['note:///public/*'], do: 'call' },
    { id: 'words', who: ['agent:a*'], prompts: ['sum*'], services: ['social'], do: 'call' },
  ],
}

describe('the first rule that is for the caller and about the thing decides', () => {
  it.each([
    ['a tool by its pattern', ada, drafts, 'call read'],
    ['what no rule is about: the default', ada, publish, 'hide -'],
    ['a role of the file', student, publish, 'show look'],
    ['a pattern within a role', oauth, publish, 'show look'],
    ['an earlier rule before a later one', student, run, 'hide no-shell'],
    ['a principal by its name', http, run, 'hide no-shell'],
    ['somebody else, whom that rule is not for', ada, run, 'call read'],
    ['a role that the hub knows', boss, publish, 'call decide'],
    ['the name that the worker gave', ada, renamed, 'call read'],
    ['a prompt', ada, summary, 'call words'],
    ['a prompt, of others', student, summary, 'hide -'],
    ['a rule about tools says nothing of templates', ada, notes, 'hide -'],
    ['a service whole, with its templates', boss, notes, 'call decide'],
    ['the operator secret: no pattern, no role and no default is for it', operator, publish, 'call -'],
    ['a worker, as whoever it acts for', scheduler('agent:ada'), run, 'call read'],
    ['a worker, hidden from whoever it acts for', scheduler('agent:student-1'), run, 'hide no-shell'],
    ['a worker that an earlier rule names', scheduler('agent:student-1'), publish, 'call tasks-publish'],
    ['another worker', caller('agent:ada', { worker: 'worker:plugin' }), publish, 'hide -'],
  ] as const)('%s', (_, who, what, expected) => {
    const { effect, rule } = policyOf(file).decide(who, what)
    expect(`${effect} ${rule?.id ?? '-'}`).toBe(expected)
  })

  it('for operator:local only where it is named letter by letter, also by a role', () => {
    const rules = [{ who: ['the-secret'], services: ['social'], do: 'hide' }]
    const policy = policyOf({ ...file, rules })
    expect(policy.decide(operator, publish).effect).toBe('hide')
    expect(policy.decide(operator, run).effect).toBe('call')
  })

  it.each(['*', 'operator:*', '*:*', 'operator', 'agent'])('and not by %s', (who) => {
    expect(policyOf({ rules: [{ who: [who], do: 'hide' }] }).decide(operator, run).effect).toBe('call')
  })

  it('of agents no pattern for workers, and of workers none for agents', () => {
    const policy = policyOf({ rules: [{ who: ['worker:*'], do: 'hide' }] })
    expect(policy.decide(caller('worker:scheduler'), run).effect).toBe('call')
    expect(policy.decide(scheduler('agent:ada'), run).effect).toBe('hide')
  })

  it('what is read through a template is judged by its own URI, and by the template', () => {
    const policy = policyOf(file)
    expect(policy.decide(ada, notes, 'note:///public/a').rule?.id).toBe('public')
    expect(policy.decide(ada, notes, 'note:///private/a').effect).toBe('hide')
    const hiding = policyOf({ rules: [{ who: ['*'], resources: ['note:///{path}'], do: 'hide' }] })
    expect(hiding.decide(ada, notes, 'note:///public/a').effect).toBe('hide')
  })

  it('an empty policy changes nothing', () => {
    expect(policyOf({ rules: [] }).decide(ada, publish)).toMatchObject({ effect: 'call', rule: undefined })
  })
})

describe('who has the same rules', () => {
  it('has the same key, and anybody else has another', () => {
    const policy = policyOf(file)
    expect(policy.profileKey(student)).toBe(policy.profileKey(oauth))
    expect(policy.profileKey(student)).not.toBe(policy.profileKey(http))
    expect(policy.profileKey(operator)).not.toBe(policy.profileKey(caller('nobody:local', { roles: [] })))
  })
})

describe('how arguments are recorded', () => {
  it('is what the rule says, else the file; where both say nothing, the configuration of the journal decides', () => {
    const redacting = { who: ['agent:a*'], do: 'call', audit: { redact: ['password', '/login/token'] } }
    const policy = policyOf({ audit: 'full', rules: [redacting] })
    expect(policy.decide(ada, run).audit).toEqual({ kind: 'redacted', keys: ['password'], pointers: ['/login/token'] })
    expect(policy.decide(http, run).audit).toEqual({ kind: 'full' })
    expect(policyOf({ rules: [] }).decide(ada, run).audit).toBeUndefined()
  })
})

it('says of the rules before the one that decides why they do not', () => {
  const found = policyOf(file).mismatches(ada, drafts)
  expect(found.map(({ rule, why }) => `${rule.number} ${why}`)).toEqual(['1 who', '2 who', '3 who', '4 who'])
})
