import { describe, expect, it } from 'vitest'
import { explainCall } from '../../src/policy/explain-call.js'
import type { PolicySubject } from '../../src/policy/policy.js'
import { policyOf } from './read.js'

const ada = { principal: 'agent:ada', roles: ['agent'] }
const operator = { principal: 'operator:local', roles: ['agent', 'operator'] }
const subject = (kind: PolicySubject['kind'], service: string, key: string, workerKey = key): PolicySubject => ({
  kind,
  service,
  key,
  workerKey,
})
const hides = (rule: object, what: PolicySubject, who = ada) =>
  policyOf({ rules: [{ who: ['*'], do: 'hide', ...rule }] }).decide(who, what).effect === 'hide'

describe('of several patterns one is enough', () => {
  it.each([
    [{ services: ['kernel', 'forum'] }, subject('tool', 'forum', 'search')],
    [{ tools: ['run', 'search'] }, subject('tool', 'forum', 'search')],
    [{ prompts: ['other', 'sum*'] }, subject('prompt', 'notes', 'summary')],
    [{ resources: ['log:*', 'note:*'] }, subject('resource', 'notes', 'note:///a')],
    [{ who: ['agent:ben', 'agent:ada'] }, subject('tool', 'forum', 'search')],
  ])('%j', (rule, what) => expect(hides(rule, what)).toBe(true))

  it.each([
    [{ services: ['kernel', 'qda'] }, subject('tool', 'forum', 'search')],
    [{ prompts: ['sum', 'note'] }, subject('prompt', 'notes', 'summary')],
    [{ resources: ['log:*', 'note:///b'] }, subject('resource', 'notes', 'note:///a')],
  ])('%j, and none is not', (rule, what) => expect(hides(rule, what)).toBe(false))
})

describe('a prompt', () => {
  const renamed = subject('prompt', 'notes', 'notes_summary', 'summary')
  it.each(['notes_summary', 'summary'])('is meant by the name that agents see, and by the worker’s: %s', (name) => {
    expect(hides({ prompts: [name] }, renamed)).toBe(true)
  })
})

describe('a rule that names the operator secret', () => {
  it('is for no agent', () => {
    const tool = subject('tool', 'forum', 'search')
    expect(hides({ who: ['operator:local'] }, tool, operator)).toBe(true)
    expect(hides({ who: ['operator:local'] }, tool)).toBe(false)
  })
})

describe('a result that an instance keeps', () => {
  it('may be read by whoever was given it, whatever the rules say of its template', () => {
    const kept = { ...subject('resourceTemplate', 'notes', 'kept:///{id}'), keeper: 'instance-1' }
    expect(hides({ resources: ['*'] }, kept)).toBe(false)
  })
})

describe('an explanation of a call', () => {
  const policy = policyOf({
    rules: [
      { who: ['agent:ben'], do: 'hide' },
      { who: ['*'], tools: ['read'], do: 'call', when: { required: ['path'] } },
    ],
  })
  const read = subject('tool', 'files', 'read')

  it('says what is wrong with the arguments, where they are known', () => {
    expect(explainCall(policy, ada, read, {}).problem).toBe('path is missing')
    expect(explainCall(policy, ada, read, { path: 'x' }).problem).toBeUndefined()
    expect(explainCall(policy, ada, read, undefined).problem).toBeUndefined()
  })

  it('says which rules do not decide, and none where no rule has a condition', () => {
    const { passedOver, decision } = explainCall(policy, ada, read, {})
    expect([passedOver.map(({ why }) => why), decision.rule?.number]).toEqual([['who'], 2])
    expect(explainCall(policy, ada, subject('tool', 'files', 'write'), {})).toMatchObject({
      decision: { effect: 'call', rule: undefined },
      problem: undefined,
    })
  })
})
