import { describe, expect, it } from 'vitest'
import { parsed, scenario, tool, tools, type WorkerSetup } from './scenario.js'

const refusals = (hub: ReturnType<typeof scenario>, service: string, setup: WorkerSetup) =>
  (parsed(hub.stranger(service, setup).signIn().body) as { refused: object[] }).refused

const resource = (uri: string) => ({ uri, name: uri })
const template = (uriTemplate: string) => ({ uriTemplate, name: uriTemplate })

describe('a list', () => {
  it('is in a stable order: by service, then as the worker has it', () => {
    const hub = scenario()
    hub.worker('zebra', { definitions: tools('b', 'a') })
    hub.worker('ant', { definitions: tools('d', 'c') })
    expect(hub.agent().tools).toEqual(['d', 'c', 'b', 'a'])
  })

  it('is the very same value while nothing changes: it is made once, not per question', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const [one, other] = [hub.agent('one'), hub.agent('other')]
    const list = hub.broker.list('tool', one.identity)
    expect(hub.broker.list('tool', other.identity)).toBe(list)
    worker.update(tools('greet', 'wave'))
    expect(hub.broker.list('tool', one.identity)).not.toBe(list)
  })

  it("has what the caller's roles see, once for each set of roles", () => {
    const hub = scenario()
    const forRoles = (name: string, roles: string[]) => tool(name, { _meta: { 'callboard/roles': roles } })
    hub.worker('desk', {
      definitions: tools(
        'all',
        forRoles('operators', ['operator']),
        forRoles('both', ['agent', 'operator']),
        forRoles('nobody', []),
      ),
    })
    expect(hub.agent().tools).toEqual(['all', 'both'])
    expect(hub.agent('boss', { roles: ['operator'] }).tools).toEqual(['all', 'operators', 'both'])
  })
})

describe('names [CB-22]', () => {
  it('belong to the service that had them first, also while it is away', () => {
    const hub = scenario()
    hub.worker('first', { definitions: tools('greet') }).die()
    hub.advance(3_600_000)
    expect(refusals(hub, 'second', { definitions: tools('greet') })).toMatchObject([
      { kind: 'tool', name: 'greet', code: 'name_taken', holder: 'first' },
    ])
  })

  it('of tools and prompts do not meet', () => {
    const hub = scenario()
    hub.worker('first', { definitions: tools('greet') })
    expect(refusals(hub, 'second', { definitions: { prompts: [{ name: 'greet' }] } })).toEqual([])
  })

  it('that come twice in one service stand once', () => {
    const hub = scenario()
    expect(refusals(hub, 'greeter', { definitions: tools('greet', tool('greet', { title: 'again' })) })).toMatchObject([
      { name: 'greet', code: 'name_taken', holder: 'greeter' },
    ])
    expect(hub.broker.list('tool', hub.agent().identity)).toEqual([tool('greet')])
  })

  it('of a service are free after it was away for a week', () => {
    const hub = scenario()
    const first = hub.worker('first', { definitions: tools('greet') })
    const week = 7 * 24 * 3_600_000
    hub.now += week
    first.beat()
    first.die()
    hub.now += week
    expect(refusals(hub, 'second', { definitions: tools('greet') })).toHaveLength(1)
    hub.now += 1
    expect(refusals(hub, 'third', { definitions: tools('greet') })).toEqual([])
    expect(hub.snapshot.services.map(({ service }) => service)).toEqual(['second', 'third'])
  })

  it('that an UPDATE gives up are free at once', () => {
    const hub = scenario()
    hub.worker('first', { definitions: tools('greet') }).update({})
    expect(refusals(hub, 'second', { definitions: tools('greet') })).toEqual([])
  })

  it.each([
    ['the same URI', { resources: [resource('note://7')] }],
    ['a URI in the space of a template', { resources: [resource('page://any')] }],
    ['the same template', { resourceTemplates: [template('page://{other}')] }],
    ['a template within it', { resourceTemplates: [template('page://sub/{id}')] }],
    ['a template around it', { resourceTemplates: [template('page:/{+all}')] }],
  ])('of resources: %s is taken', (_, definitions) => {
    const hub = scenario()
    hub.worker('first', {
      definitions: { resources: [resource('note://7')], resourceTemplates: [template('page://{id}')] },
    })
    expect(refusals(hub, 'second', { definitions })).toMatchObject([{ code: 'name_taken', holder: 'first' }])
  })

  it('go from a service that proved nothing to a trusted one: whoever comes first must not keep a built-in worker out', () => {
    const hub = scenario()
    const squatter = hub.worker('aquat', { definitions: tools('weave_eval', 'mine') })
    const kernel = hub.worker('kernel', { definitions: tools('weave_eval'), trusted: true })
    const agent = hub.agent()
    expect(agent.tools).toEqual(['mine', 'weave_eval'])
    agent.call('weave_eval')
    const request = kernel.request()
    expect(request.name).toBe('weave_eval')
    kernel.respond(request)
    squatter.update(tools('weave_eval', 'mine'))
    expect(hub.broker.snapshot().services.map(({ tools: names }) => names)).toEqual([['mine'], ['weave_eval']])
  })

  it('that were refused are not kept: after a restart they belong to whom they belonged', () => {
    const hub = scenario()
    hub.worker('zebra', { definitions: tools('greet') })
    hub.worker('ant', { definitions: tools('greet', 'own') })
    hub.advance(10)
    expect(
      hub.kept.at(-1)!.map(({ service, definitions }) => [service, definitions.tools?.map(({ name }) => name)]),
    ).toEqual([
      ['ant', ['own']],
      ['zebra', ['greet']],
    ])
  })

  it('of services that proved nothing and are away are kept for the 64 seen last [CB-91]', () => {
    const hub = scenario()
    for (let index = 0; index < 70; index++) {
      hub.worker(`s${index}`, { definitions: tools(`t${index}`) }).die()
      hub.advance(1)
    }
    const names = hub.agent().tools
    expect(names).toHaveLength(64)
    expect(names).not.toContain('t5')
    expect(names).toContain('t6')
  })

  it('of resources: the rest of the URI space is free', () => {
    const hub = scenario()
    hub.worker('first', {
      definitions: { resources: [resource('note://7')], resourceTemplates: [template('page://a/{id}')] },
    })
    const definitions = { resources: [resource('note://8')], resourceTemplates: [template('page://b/{id}')] }
    expect(refusals(hub, 'second', { definitions })).toEqual([])
  })

  it('are 2,000 per service at most [CB-21]', () => {
    const names = Array.from({ length: 2_001 }, (_, index) => `tool-${index}`)
    const refused = refusals(scenario(), 'greeter', { definitions: tools(...names) })
    expect(refused).toMatchObject([{ name: 'tool-2000', code: 'invalid' }])
  })
})

describe('a definition [CB-21]', () => {
  it('that is no object is refused, and breaks nothing', () => {
    const hub = scenario()
    const definitions = { tools: [null, 7, 'x', tool('good')] } as unknown as ReturnType<typeof tools>
    expect(refusals(hub, 'odd', { definitions })).toHaveLength(3)
    expect(hub.broker.snapshot().services).toMatchObject([{ tools: ['good'] }])
  })

  it('has at most 64 KiB', () => {
    const hub = scenario()
    const definitions = tools(
      tool('fits', { description: 'x'.repeat(60_000) }),
      tool('not', { description: 'x'.repeat(70_000) }),
    )
    expect(refusals(hub, 'verbose', { definitions })).toMatchObject([{ name: 'not', code: 'invalid' }])
  })
})

describe('many UPDATEs in a row', () => {
  it('are judged four times a second, the newest of those that wait', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const agent = hub.agent()
    for (const name of ['one', 'two', 'three']) worker.update(tools(name))
    expect(agent.tools).toEqual(['one'])
    hub.advance(249)
    expect(agent.tools).toEqual(['one'])
    hub.advance(1)
    expect(agent.tools).toEqual(['three'])
  })

  it('leave nothing behind when the worker goes', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    for (const name of ['one', 'two']) worker.update(tools(name))
    worker.die()
    hub.advance(1_000)
    expect(hub.agent().tools).toEqual(['one'])
  })
})

describe('a URI', () => {
  it('is read from the resource of that name, else from the template with the longest prefix', () => {
    const hub = scenario()
    const wide = hub.worker('wide', {
      definitions: { resourceTemplates: [template('page://a/{id}'), template('page://a/b/{id}')] },
    })
    const agent = hub.agent()
    agent.call('page://a/b/7', { method: 'resources/read' })
    expect(wide.request().name).toBe('page://a/b/7')
    expect(agent.call('page://z', { method: 'resources/read' }).outcome).toBe('unknown')
  })
})

describe('replicas of several versions [CB-23]', () => {
  it('list the highest version, whoever came first', () => {
    const hub = scenario()
    hub.worker('greeter', { version: '1.10.0', definitions: tools('new') })
    hub.worker('greeter', { version: '1.9.0', definitions: tools('old') })
    expect(hub.agent().tools).toEqual(['new'])
  })

  it('of one version list what the earliest sign-in has', () => {
    const hub = scenario()
    hub.worker('greeter', { definitions: tools('first') })
    hub.worker('greeter', { definitions: tools('second') })
    expect(hub.agent().tools).toEqual(['first'])
  })

  it('fall back to what is left when the highest goes', () => {
    const hub = scenario()
    const recent = hub.worker('greeter', { version: '2.0.0', definitions: tools('new') })
    hub.worker('greeter', { version: '1.0.0', definitions: tools('old') })
    recent.die()
    expect(hub.agent().tools).toEqual(['old'])
  })
})

describe('with namespace always', () => {
  const hub = () => scenario({ namespace: 'always' })

  it('agents use service_tool, and the worker hears its own name', () => {
    const named = hub()
    const worker = named.worker('greeter', { definitions: { ...tools('greet'), prompts: [{ name: 'ask' }] } })
    const agent = named.agent()
    expect(agent.tools).toEqual(['greeter_greet'])
    expect(agent.call('greet').outcome).toBe('unknown')
    agent.call('greeter_greet')
    expect(worker.request().name).toBe('greet')
    agent.call('greeter_ask', { method: 'prompts/get' })
    expect(worker.request().name).toBe('ask')
  })

  it('services may have tools of the same name', () => {
    const named = hub()
    named.worker('one', { definitions: tools('greet') })
    expect(refusals(named, 'two', { definitions: tools('greet') })).toEqual([])
  })

  it('refuses a name that becomes longer than 64', () => {
    const named = hub()
    expect(refusals(named, 'greeter', { definitions: tools('x'.repeat(56), 'y'.repeat(57)) })).toMatchObject([
      { name: 'y'.repeat(57), code: 'invalid' },
    ])
  })

  it("hides by the worker's own names [CB-26]", () => {
    const named = hub()
    const worker = named.worker('greeter', { definitions: tools('greet', 'wave') })
    worker.show('session of main', { hiddenTools: ['wave'] })
    expect(named.agent().tools).toEqual(['greeter_greet'])
  })
})
