import { expect, it } from 'vitest'
import { policyOf, problemsOf } from './read.js'

const rule = (more: object) => ({ rules: [{ who: ['*'], do: 'call', ...more }] })

it.each([
  ['no JSON', '{"rules":', /^it is not JSON: /],
  ['no object', [], 'it must be a JSON object, like {"rules": []}.'],
  ['no rules', {}, 'rules: is missing: a policy without rules says "rules": [].'],
  ['an unknown key', { rules: [], defualt: 'hide' }, 'unknown key defualt (did you mean default?).'],
  ['an unknown default', { rules: [], default: 'show' }, 'default: must be call or hide.'],
  ['a role of the hub', { rules: [], roles: { agent: ['agent:ada'] } }, /^roles\.agent: is what the hub itself says/],
  ['a member that is no principal', { rules: [], roles: { staff: ['ada'] } }, /like "agent:ada"\.$/],
  ['an unknown key of a rule', rule({ tool: ['x'] }), 'rules[0]: unknown key tool (did you mean tools?).'],
  ['nobody', { rules: [{ do: 'call' }] }, 'rules[0]: who is missing.'],
  ['nothing to do', { rules: [{ who: ['*'] }] }, 'rules[0]: do is missing.'],
  ['another thing to do', rule({ do: 'deny' }), 'rules[0].do: must be hide, show or call.'],
  ['an empty list', rule({ tools: [] }), /^rules\[0\]\.tools: must have an entry/],
  [
    'a role that is not there',
    rule({ who: ['operatr'] }),
    'rules[0].who: there is no role operatr (did you mean operator?).',
  ],
  ['a name where a principal belongs', rule({ who: ['ada'] }), /or say "agent:ada"\.$/],
  ['no pattern', rule({ tools: ['a b'] }), /^rules\[0\]\.tools: "a b" is no pattern: a pattern is a tool name/],
  ['a service that can not be', rule({ services: ['Kernel'] }), /services: "Kernel" can be no service: their names/],
  ['a tool of one', rule({ tools: ['kernel:*', 'Kernel:*'] }), /tools: "Kernel:\*" can be no service/],
  [
    'a kind of principal that is none',
    rule({ who: ['Agent:ada'] }),
    /who: "Agent:ada" can be nobody: a principal begins/,
  ],
  ['one in a role', { rules: [], roles: { staff: ['agents:*'] } }, /roles\.staff: "agents:\*" can be nobody/],
  ['a name in letters that look like others', rule({ who: ['agent:\u0430da'] }), /can be nobody: names have no spaces/],
  ['a name with a space', rule({ who: ['agent:ada '] }), /"agent:ada " can be nobody: names have no spaces/],
  ['a condition of what is hidden', rule({ do: 'hide', tools: ['*'], when: {} }), 'rules[0].when: needs "do": "call".'],
  [
    'a rate of what is shown',
    rule({ do: 'show', rate: { calls: 1, per: '1s' } }),
    'rules[0].rate: needs "do": "call".',
  ],
  ['a condition of no tool', rule({ when: {} }), /^rules\[0\]\.when: is about arguments of tools/],
  ['a rate without a time', rule({ rate: { calls: 1 } }), 'rules[0].rate: per is missing.'],
  [
    'a rate of another time',
    rule({ rate: { calls: 1, per: 'minute' } }),
    /^rules\[0\]\.rate\.per: must be a time like "10s"/,
  ],
  ['no calls', rule({ rate: { calls: 0, per: '1m' } }), 'rules[0].rate.calls: must be at least 1.'],
  ['records of what is hidden', rule({ do: 'hide', audit: 'full' }), /^rules\[0\]\.audit: of what is hidden/],
  ['an unknown way to record', rule({ audit: 'all' }), /^rules\[0\]\.audit: must be "none", "hash", "full"/],
  ['no pointer', rule({ audit: { redact: ['/a~2'] } }), 'rules[0].audit.redact: "/a~2" is no JSON pointer.'],
])('refuses %s', (_, file, problem) => {
  const expected = typeof problem === 'string' ? problem : expect.stringMatching(problem)
  expect(problemsOf(file)).toEqual([expected])
})

it('names every problem at once', () => {
  expect(problemsOf({ colour: 1, rules: [rule({}), { who: ['agent:*'], do: 'hold' }, 7] })).toHaveLength(6)
})

it('refuses two rules of one id', () => {
  const one = { id: 'one', who: ['*'], do: 'call' }
  expect(problemsOf({ rules: [one, one] })).toEqual(['rules[1].id: is that of rule 1, too.'])
})

it('reads a rate: as many at once as in its time, for each principal', () => {
  const { limits } = policyOf(rule({ rate: { calls: 10, per: '2m' } }))
  expect(limits).toMatchObject([{ calls: 10, perMs: 120_000, burst: 10, each: 'principal' }])
})
