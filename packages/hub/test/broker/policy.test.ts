import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Policy } from '../../src/policy/policy.js'
import { policyOf } from '../policy/read.js'
import { json, parsed, type ScenarioHub, scenario, tool, tools } from './scenario.js'

const definitions = {
  ...tools('read', 'write'),
  resources: [{ uri: 'note:///a', name: 'a' }],
  resourceTemplates: [{ uriTemplate: 'log:///{day}', name: 'log' }],
  prompts: [{ name: 'sum' }],
  completions: ['ref/prompt'],
}
const put = (hub: ScenarioHub, file: object | Policy | undefined) =>
  hub.step({
    type: 'policy_changed',
    policy: file === undefined ? undefined : policyOf(file),
  })
const rules = (...all: object[]) => ({ rules: all.map((each) => ({ who: ['agent:main'], do: 'hide', ...each })) })

/** A hub with a service of each kind of thing, and two agents. */
function stage() {
  const hub = scenario()
  const worker = hub.worker('files', { definitions, concurrency: 9 })
  const [main, other] = [hub.agent(), hub.agent('other')]
  hub.advance(1_000)
  for (const agent of [main, other]) agent.heard = []
  for (const agent of [main, other]) agent.heardAsModern = []
  worker.takeAll()
  return { hub, worker, main, other }
}

describe('what is hidden', () => {
  it('does not exist for whom it is hidden, and does for all others', () => {
    const { hub, main, other } = stage()
    put(hub, rules({ tools: ['write'] }))
    expect([main.tools, main.modernTools, other.tools]).toEqual([['read'], ['read'], ['read', 'write']])
    expect(main.call('write').raw).toEqual(main.call('never was').raw)
    expect(hub.broker.tool('write', main.identity)).toBeUndefined()
    expect(other.call('write').outcome).toBe('open')
  })

  it('is a service whole, with its resources, templates, prompts, completions and its own name', () => {
    const { hub, main } = stage()
    put(hub, rules({ services: ['files'] }))
    const wishes = [
      ['resources/read', 'note:///a'],
      ['resources/read', 'log:///monday'],
      ['prompts/get', 'sum'],
      ['completion/complete', 'sum'],
      ['completion/complete', 'log:///{day}'],
    ] as const
    expect(wishes.map(([method, name]) => main.call(name, { method }).outcome)).toEqual(wishes.map(() => 'unknown'))
    for (const kind of ['tool', 'resource', 'resourceTemplate', 'prompt'] as const) {
      expect(hub.broker.list(kind, main.identity, 'session')).toEqual([])
    }
    expect(hub.broker.services(main.identity)).toEqual([])
    expect(hub.broker.completes(main.identity)).toBe(false)
    expect(hub.broker.completes(hub.agent('other').identity)).toBe(true)
    expect(hub.broker.services(hub.agent('other').identity)).toEqual([{ service: 'files', state: 'ready' }])
  })

  it('is also a tool that a session has of its own', () => {
    const { hub, worker, main } = stage()
    worker.show(main.identity.session, { tools: [tool('mine')] })
    put(hub, rules({ tools: ['mine'] }))
    expect(main.tools).toEqual(['read', 'write'])
    expect(main.call('mine').outcome).toBe('unknown')
  })

  it('is what is read through a template by its URI', () => {
    const { hub, main } = stage()
    put(hub, rules({ resources: ['log:///private*'] }))
    expect(main.call('log:///private-1', { method: 'resources/read' }).outcome).toBe('unknown')
    expect(main.call('log:///public', { method: 'resources/read' }).outcome).toBe('open')
  })

  it('is nothing that anybody hears of', () => {
    const { hub, worker, main, other } = stage()
    for (const agent of [main, other]) agent.subscribe('note:///a')
    put(hub, rules({ services: ['files'] }))
    expect(worker.takeAll().map(({ type }) => type)).toEqual(['subscribe', 'subscribe', 'unsubscribe'])
    for (const agent of [main, other]) agent.heard = []
    worker.send({ type: 'event', epoch: 'hubepoch01', kind: 'resource_updated', uri: 'note:///a' })
    worker.update({ ...definitions, ...tools('read', 'write', 'more') })
    hub.advance(1_000)
    expect(main.heard).toEqual([])
    expect(other.heard).toEqual(['note:///a updated', 'tools changed'])
    worker.takeAll()
    put(hub, undefined)
    expect(worker.received).toEqual(['subscribe'])
  })
})

it('what only another connection of a session may see is told to that one alone', () => {
  const hub = scenario()
  const resources = [{ uri: 'vault:///a', name: 'a', _meta: { 'callboard/roles': ['operator'] } }]
  const vault = hub.worker('vault', { definitions: { resources } })
  const [decides, asks] = [['agent', 'operator'] as const, ['agent'] as const].map((roles) =>
    hub.agent('ada', { roles }),
  )
  for (const agent of [decides!, asks!]) agent.subscribe('vault:///a')
  vault.send({ type: 'event', epoch: 'hubepoch01', kind: 'resource_updated', uri: 'vault:///a' })
  expect([decides!.heard, asks!.heard]).toEqual([['vault:///a updated'], []])
})

describe('what is shown', () => {
  it('is listed, and refused with a code and a sentence', () => {
    const { hub, main } = stage()
    put(hub, rules({ tools: ['write'], do: 'show' }))
    expect(main.tools).toEqual(['read', 'write'])
    expect(main.call('write').raw).toMatchObject({
      kind: 'failure',
      failure: {
        code: 'forbidden',
        retryable: false,
        message: expect.stringMatching(/lets you see write, and not use/),
      },
    })
    expect(hub.counter('policy_refused.not_callable')).toBe(1)
  })
})

describe('a condition', () => {
  const conditional = rules({
    tools: ['read'],
    do: 'call',
    when: {
      properties: { path: { type: 'string', pattern: '^/data/' } },
      required: ['path'],
      additionalProperties: false,
    },
  })
  const withBody = (body: Uint8Array | string) => {
    const { hub, worker, main } = stage()
    put(hub, conditional)
    const call = main.call('read', { body: Buffer.from(body) })
    return { outcome: call.outcome, raw: call.raw, reached: worker.takeAll() }
  }

  it('lets pass what fits', () => {
    expect(withBody('{"name":"read","arguments":{"path":"/data/a"}}').outcome).toBe('open')
  })

  it('looks into as much as it says', () => {
    const shell = '{"name":"","arguments":{"path":"/data/"}}'
    const filled = (bytes: number) => shell.replace('""', `"${'a'.repeat(bytes - shell.length)}"`)
    expect(withBody(filled(256 * 1024)).outcome).toBe('open')
    expect(withBody(filled(256 * 1024 + 1)).outcome).toBe('forbidden')
  })

  it.each([
    ['other values', '{"arguments":{"path":"/etc"}}', /path must match/],
    ['none', '{}', /path is missing/],
    ['arguments that are none', '{"arguments":["/data/a"]}', /they are no object/],
    ['what is no JSON', '{"arguments":', /they are not JSON/],
    ['what is no text', Buffer.from('{"arguments":{"path":"/data/\xff"}}', 'latin1'), /they are not JSON/],
    [
      'a number that none can hold',
      '{"arguments":{"path":"/data/"},"_meta":{"a":[1e400]}}',
      /a number that is too large/,
    ],
    ['too much', `{"arguments":{"path":"/data/${'a'.repeat(300_000)}"}}`, /more than 262144 bytes/],
    ['what is too deep', `{"a":${'['.repeat(100)}${']'.repeat(100)},"arguments":{"path":"/data/"}}`, /deeper than 64/],
  ])('refuses %s', (_, body, message) => {
    const { raw, reached } = withBody(body)
    expect(raw).toMatchObject({ failure: { code: 'forbidden', message: expect.stringMatching(message) } })
    expect(reached).toEqual([])
  })

  it('sends on what was judged, and nothing that somebody else may read instead of it', () => {
    const twice = '{"arguments":{"path":"/etc"},"arguments":{"path":"/etc","path":"/data/a"}}'
    const { reached } = withBody(twice)
    expect(reached).toMatchObject([{ type: 'request' }])
    const [request] = reached as { body: Uint8Array }[]
    expect(Buffer.from(request!.body).toString()).toBe('{"arguments":{"path":"/data/a"}}')
  })

  it('does not touch what no rule looks into', () => {
    const { hub, worker, main } = stage()
    put(hub, conditional)
    main.call('write', { body: Buffer.from('{ "arguments": {"n": 12345678901234567890} }') })
    expect(Buffer.from(worker.request().body).toString()).toBe('{ "arguments": {"n": 12345678901234567890} }')
  })
})

describe('a rate', () => {
  it('refuses what is more, and says when to try again', () => {
    const { hub, main, other } = stage()
    put(hub, { rules: [{ who: ['*'], tools: ['read'], do: 'call', rate: { calls: 2, per: '10s' } }] })
    expect([1, 2, 3].map(() => main.call('read').outcome)).toEqual(['open', 'open', 'rate_limited'])
    expect(main.call('read').raw).toMatchObject({
      failure: {
        code: 'rate_limited',
        retryable: true,
        retryAfterMs: 5_000,
        message: expect.stringMatching(/^read may be called 2 times in 10 s here\..* try again in 5\.0 s\./),
      },
    })
    expect(other.call('read').outcome).toBe('open')
    hub.advance(4_999)
    expect(main.call('read').outcome).toBe('rate_limited')
    hub.advance(1)
    expect(main.call('read').outcome).toBe('open')
  })

  it.each([
    ['session', ['open', 'open', 'open']],
    ['principal', ['open', 'rate_limited', 'open']],
    ['all', ['open', 'rate_limited', 'rate_limited']],
  ])('counts for each %s', (each, outcomes) => {
    const { hub, main, other } = stage()
    const again = hub.agent('again', { principal: main.identity.principal })
    put(hub, { rules: [{ who: ['*'], do: 'call', rate: { calls: 1, per: '1m', each } }] })
    expect([main, again, other].map((agent) => agent.call('read').outcome)).toEqual(outcomes)
  })

  it('goes on over a reload that leaves its rule as it is', () => {
    const { hub, main } = stage()
    const limited = { who: ['*'], do: 'call', rate: { calls: 1, per: '1m' } }
    put(hub, { rules: [limited] })
    main.call('read')
    put(hub, { rules: [{ who: ['agent:nobody'], do: 'hide' }, limited] })
    expect(main.call('read').outcome).toBe('rate_limited')
  })

  it('is not for completions, which come with every letter', () => {
    const { hub, main } = stage()
    put(hub, { rules: [{ who: ['*'], do: 'call', rate: { calls: 1, per: '1d' } }] })
    const complete = () => main.call('sum', { method: 'completion/complete' }).outcome
    expect([complete(), complete()]).toEqual(['open', 'open'])
  })
})

describe('what a worker does for somebody', () => {
  function nested(file: object) {
    const { hub, worker, main } = stage()
    const helper = hub.worker('helper', { definitions: tools('help') })
    main.call('help')
    const { id } = helper.request()
    put(hub, file)
    const own = helper.call('write', { parent: id })
    const list = helper.call('', { method: 'tools/list', parent: id })
    const reached = worker.received.includes('request')
    const answers = helper.takeAll().filter(({ type }) => type === 'result')
    const codes = answers.flatMap((each) =>
      each.type === 'result' && each.outcome === 'failure' ? [each.failure.code] : [],
    )
    const listed = answers.flatMap((each) =>
      each.type === 'result' && each.outcome !== 'failure' ? [parsed(each.body)] : [],
    )
    expect(own).not.toBe(list)
    return { reached, codes, listed: (listed[0] as { tools: { name: string }[] }).tools.map(({ name }) => name) }
  }

  it('is judged as that one’s own', () => {
    expect(nested(rules({ tools: ['write'] }))).toEqual({
      reached: false,
      codes: ['not_found'],
      listed: expect.not.arrayContaining(['write']),
    })
  })

  it('but for rules that name the worker', () => {
    const open = { who: ['worker:helper'], tools: ['write'], do: 'call' }
    expect(nested(rules(open, { tools: ['write'] }))).toMatchObject({ reached: true, codes: [] })
    expect(nested(rules({ who: ['worker:help*'], tools: ['files:*'] }))).toMatchObject({ codes: ['not_found'] })
  })
})

describe('another policy', () => {
  it('is told to those whose lists are others now, at once', () => {
    const { hub, main, other } = stage()
    put(hub, rules({ tools: ['write'] }, { prompts: ['*'] }))
    expect([main.heard, other.heard]).toEqual([['tools changed', 'prompts changed'], []])
    expect(main.heardAsModern).toEqual(['tools changed', 'prompts changed'])
    main.heard = []
    put(hub, rules({ prompts: ['*'] }, { tools: ['write'] }))
    expect(main.heard).toEqual([])
    put(hub, undefined)
    expect(main.heard).toEqual(['tools changed', 'prompts changed'])
    expect(main.tools).toEqual(['read', 'write'])
  })

  it('takes the place of one with as many rules', () => {
    const { hub, main } = stage()
    put(hub, rules({ tools: ['write'] }))
    expect(main.tools).toEqual(['read'])
    main.heard = []
    put(hub, rules({ tools: ['read'] }))
    expect([main.tools, main.heard]).toEqual([['write'], ['tools changed']])
  })

  it('is told also where only resources, or only templates, are others', () => {
    const { hub, main } = stage()
    put(hub, rules({ resources: ['log:*'] }))
    expect(main.heard).toEqual(['resources changed'])
    put(hub, rules({ resources: ['note:*'] }, { resources: ['log:*'] }))
    expect(main.heard).toEqual(['resources changed', 'resources changed'])
  })

  it('ends nothing that runs', () => {
    const { hub, worker, main } = stage()
    const call = main.call('write')
    put(hub, rules({ services: ['files'] }))
    worker.respond(worker.request())
    expect(call.outcome).toBe('result "done"')
  })
})

describe('whatever the rules', () => {
  const names = ['read', 'write', 'note:///a', 'log:///{day}', 'sum']
  const effect = fc.constantFrom('hide', 'show', 'call')
  const who = fc.subarray(['agent:main', 'agent:other', 'agent:*', '*', 'worker:*', 'staff'], { minLength: 1 })
  const about = fc.record(
    {
      services: fc.subarray(['files', 'f*', 'else'], { minLength: 1 }),
      tools: fc.subarray(['read', 'w*', 'files:*'], { minLength: 1 }),
      prompts: fc.subarray(['sum', 'x*'], { minLength: 1 }),
      resources: fc.subarray(['note:*', 'log:///{day}', '*'], { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  const rule = fc.tuple(who, effect, about).map(([who, effect, about]) => ({ who, do: effect, ...about }))
  const policy = fc.record({ rules: fc.array(rule, { maxLength: 6 }), default: fc.constantFrom('call', 'hide') })

  it('what is in no list is answered as what never was, and what is listed is not', () => {
    fc.assert(
      fc.property(policy, (file) => {
        const { hub, worker, main } = stage()
        put(hub, { ...file, roles: { staff: ['agent:ma*'] } })
        const listed = new Set(
          (['tool', 'resource', 'resourceTemplate', 'prompt'] as const).flatMap((kind) =>
            hub.broker
              .list(kind, main.identity, 'session')
              .map(({ uri, uriTemplate, name }) => uri ?? uriTemplate ?? name),
          ),
        )
        for (const name of names) {
          const method = name.includes(':') ? 'resources/read' : name === 'sum' ? 'prompts/get' : 'tools/call'
          // Other URIs of a template may be judged by rules of their own.
          const { outcome } = main.call(name, { method, body: json({}) })
          expect(outcome === 'unknown', name).toBe(!listed.has(name))
        }
        expect(hub.broker.services(main.identity).length > 0).toBe(listed.size > 0)
        for (const request of worker.takeAll()) if (request.type === 'request') worker.respond(request)
      }),
      { numRuns: 300 },
    )
  })
})
