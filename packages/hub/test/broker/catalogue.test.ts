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
    const list = hub.broker.list('tool', one.identity, 'session')
    expect(hub.broker.list('tool', other.identity, 'session')).toBe(list)
    worker.update(tools('greet', 'wave'))
    expect(hub.broker.list('tool', one.identity, 'session')).not.toBe(list)
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
    expect(hub.broker.list('tool', hub.agent().identity, 'session')).toEqual([tool('greet')])
  })

  it('of a service are free after it was away for a week', () => {
    const hub = scenario()
    const first = hub.worker('first', { definitions: tools('greet') })
    const week = 7 * 24 * 3_600_000
    hub.now += week
    first.beat()
    first.die()
    hub.now += week
    const second = hub.stranger('second', { definitions: tools('greet') })
    expect(parsed(second.signIn().body)).toMatchObject({ refused: [{ holder: 'first' }] })
    second.bye()
    hub.now += 1
    expect(refusals(hub, 'third', { definitions: tools('greet') })).toEqual([])
    expect(hub.snapshot.services.map(({ service }) => service)).toEqual(['second', 'third'])
  })

  it('that become free go to who asked first, and not to who asks now', () => {
    const hub = scenario()
    hub.worker('first', { definitions: tools('greet') }).die()
    hub.worker('second', { definitions: tools('greet', 'own') })
    hub.now += 7 * 24 * 3_600_000 + 1
    expect(refusals(hub, 'third', { definitions: tools('greet') })).toMatchObject([{ holder: 'second' }])
    expect(hub.agent().tools).toEqual(['greet', 'own'])
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

  it('are judged more rarely when they are large', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const agent = hub.agent()
    const large = Array.from({ length: 10 }, (_, index) => tool(`large${index}`, { description: 'x'.repeat(60_000) }))
    worker.update(tools('one'))
    worker.update(tools('two', ...large))
    hub.advance(749)
    expect(agent.tools).toEqual(['one'])
    hub.advance(1)
    expect(agent.tools).toHaveLength(11)
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

describe('a tool name that not every client takes [CB-27]', () => {
  const long = `${'search_'.repeat(9)}x${'y'.repeat(60)}`

  it('is listed in a form that each takes; the worker hears its own', () => {
    const hub = scenario()
    const worker = hub.worker('files', { definitions: tools('files.read', 'a/b-c', long) })
    const agent = hub.agent()
    expect(agent.tools).toEqual(['files_read', 'a_b-c', expect.stringMatching(/^search_.*_[0-9a-f]{8}$/)])
    for (const name of agent.tools as string[]) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    for (const [index, own] of ['files.read', 'a/b-c', long].entries()) {
      agent.call(agent.tools[index] as string)
      const request = worker.request()
      expect(request.name).toBe(own)
      worker.respond(request)
    }
  })

  it('is the same on every hub, after every restart and from every replica', () => {
    const [one, other] = [scenario(), scenario()]
    one.worker('files', { definitions: tools(long) })
    other.worker('first', { definitions: tools('a') })
    other.worker('files', { definitions: tools('b.c', long) })
    other.worker('files', { definitions: tools('b.c', long) })
    expect(other.agent().tools).toContain(one.agent().tools[0])
  })

  it('keeps two apart that begin alike, or that only what is replaced tells apart', () => {
    const hub = scenario()
    const [end, start] = ['x'.repeat(70), 'y'.repeat(70)]
    hub.worker('files', { definitions: tools(`${end}1`, `${end}2`, `a.${start}`, `a/${start}`) })
    expect(new Set(hub.agent().tools).size).toBe(4)
  })

  it('is made as the specification says', () => {
    const hub = scenario()
    hub.worker('files', { definitions: tools(`files.${'x'.repeat(70)}`) })
    expect(hub.agent().tools).toEqual([`files_${'x'.repeat(49)}_c6f8c252`])
  })

  it('may be called by its own name, too', () => {
    const hub = scenario()
    const worker = hub.worker('files', { definitions: tools('files.read') })
    hub.agent().call('files.read')
    expect(worker.request().name).toBe('files.read')
  })

  it('belongs to whom its form belongs', () => {
    const hub = scenario()
    hub.worker('files', { definitions: tools('files.read') })
    expect(refusals(hub, 'other', { definitions: tools('files_read') })).toMatchObject([
      { name: 'files_read', code: 'name_taken', holder: 'files' },
    ])
  })

  it('shows in the snapshot with the one that the worker gave', () => {
    const hub = scenario()
    hub.worker('files', { definitions: tools('files.read', 'plain') })
    expect(hub.snapshot.services).toMatchObject([
      { tools: ['files_read', 'plain'], renamed: { files_read: 'files.read' } },
    ])
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

  it('a name that becomes longer than 64 is shortened, and the worker hears its own [CB-27]', () => {
    const named = hub()
    const worker = named.worker('greeter', { definitions: tools('x'.repeat(56), 'y'.repeat(57)) })
    const agent = named.agent()
    const [fits, shortened] = agent.tools as [string, string]
    expect(fits).toBe(`greeter_${'x'.repeat(56)}`)
    expect(shortened).toMatch(/^greeter_y{47}_[0-9a-f]{8}$/)
    agent.call(shortened)
    expect(worker.request().name).toBe('y'.repeat(57))
  })

  it('shortens a prompt that would have more characters than a request may name', () => {
    const named = hub()
    const worker = named.worker('greeter', { definitions: { prompts: [{ name: 'p'.repeat(128) }] } })
    const agent = named.agent()
    const { name } = named.broker.list('prompt', agent.identity, 'session')[0] as { name: string }
    expect(name).toHaveLength(128)
    agent.call(name, { method: 'prompts/get' })
    expect(worker.request().name).toBe('p'.repeat(128))
  })

  it("hides by the worker's own names [CB-26]", () => {
    const named = hub()
    const worker = named.worker('greeter', { definitions: tools('greet', 'wave') })
    worker.show('session of main', { hiddenTools: ['wave'] })
    expect(named.agent().tools).toEqual(['greeter_greet'])
  })
})
