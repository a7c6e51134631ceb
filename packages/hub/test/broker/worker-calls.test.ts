import { describe, expect, it } from 'vitest'
import {
  epoch,
  json,
  type ScenarioHub,
  type ScenarioWorker,
  scenario,
  tool,
  tools,
  type WorkerSetup,
} from './scenario.js'

/** A worker `caller` that holds an agent's call of `ask`, and a worker `helper` that it may call. */
function nested(hub: ScenarioHub, { helper = {}, caller = {} }: { helper?: WorkerSetup; caller?: WorkerSetup } = {}) {
  const worker = hub.worker('caller', { definitions: tools('ask'), ...caller })
  const helping = hub.worker('helper', { definitions: tools('help'), ...helper })
  const agent = hub.agent('main', { group: 'family', roles: ['agent', 'operator'] })
  const call = agent.call('ask', { traceparent: '00-1', timeoutMs: 60_000 })
  const request = worker.request()
  return { worker, helper: helping, agent, call, request, parent: request.id }
}

describe("a worker's CALL", () => {
  it("reaches the other worker, and its RESULT comes back under the worker's own id [CB-60] [CB-65]", () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    const id = worker.call('help', { parent, body: json({ please: true }), idempotencyKey: 'mine' })
    const request = helper.request()
    expect(request).toMatchObject({
      name: 'help',
      body: json({ please: true }),
      idempotencyKey: 'mine',
      traceparent: '00-1',
    })
    helper.respond(request, 'helped')
    expect(worker.result(id)).toBe('helped')
  })

  it('passes on errors as they are [CB-65]', () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    const id = worker.call('help', { parent })
    helper.fail(helper.request(), 'no')
    expect(worker.result(id)).toEqual({ code: -32_000, message: 'no' })
  })

  it('is made as worker:<service> on behalf of the root principal, in its session and group, never as operator [CB-61]', () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    worker.call('help', { parent })
    expect(helper.request().caller).toEqual({
      session: 'session of main',
      principal: 'worker:caller',
      roles: ['agent'],
      group: 'family',
      depth: 1,
      onBehalfOf: 'agent:main',
    })
  })

  it('finds and lists only what exists for the root, through every depth', () => {
    const hub = scenario()
    const [a, b] = ['a', 'b'].map((name) => hub.worker(name, { definitions: tools(name) }))
    hub.worker('c', { definitions: tools('c') })
    hub.agent('http', { services: ['a', 'b'] }).call('a')
    a!.call('b', { parent: a!.request().id })
    const parent = b!.request().id
    const [called, listed] = [b!.call('c', { parent }), b!.call('', { method: 'tools/list', parent })]
    expect(b!.result(called)).toBe('not_found')
    expect(b!.result(listed)).toMatchObject({ tools: [{ name: 'a' }, { name: 'b' }] })
  })

  it('inherits the run and the root through every depth [CB-61] [CB-62]', () => {
    const hub = scenario()
    const run = { id: 'run-1', attempt: 1, triggerDepth: 0 }
    const [a, b, c] = ['a', 'b', 'c'].map((name) => hub.worker(name, { definitions: tools(name) }))
    hub.agent('sleepy', { run }).call('a')
    a!.call('b', { parent: a!.request().id })
    b!.call('c', { parent: b!.request().id })
    expect(c!.request().caller).toMatchObject({ principal: 'worker:b', onBehalfOf: 'agent:sleepy', depth: 2, run })
  })

  it('has the client of the root, with its own wish for progress [CB-41]', () => {
    const hub = scenario()
    const { worker, helper, parent, call } = nested(hub)
    const wanting = worker.call('help', { parent, progress: true })
    worker.call('help', { parent })
    const [first, second] = [helper.request(), helper.request()]
    expect([first.client.progress, second.client.progress]).toEqual([true, false])
    expect(first.client.input).toEqual(['form'])
    helper.progress(first, { progress: 1 })
    helper.progress(second, { progress: 1 })
    expect(worker.take('progress')).toMatchObject({ id: wanting, body: json({ progress: 1 }) })
    expect(worker.received).toEqual([])
    helper.log('error', 'for the person at the root', first)
    expect(call.logs).toEqual(['error "for the person at the root"'])
  })

  it('of what does not exist is not_found, and so is what only operators see', () => {
    const hub = scenario()
    const { worker, parent } = nested(hub)
    hub.worker('desk', { definitions: tools(tool('approve', { _meta: { 'callboard/roles': ['operator'] } })) })
    for (const name of ['nothing', 'approve']) expect(worker.result(worker.call(name, { parent }))).toBe('not_found')
  })

  it('under the id of an open one is dropped [CB-66]', () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    worker.call('help', { parent, id: 'same' })
    worker.call('help', { parent, id: 'same' })
    expect(helper.received).toEqual(['request'])
    expect(hub.counter('frames_dropped.duplicate_call')).toBe(1)
  })

  it.each([
    [
      'a parent that another worker holds',
      ({ helper, parent }: ReturnType<typeof nested>) => helper.call('ask', { parent }),
    ],
    [
      'a parent that has ended',
      ({ worker, request, parent }: ReturnType<typeof nested>) => {
        worker.respond(request)
        return worker.call('help', { parent })
      },
    ],
    [
      'a parent that never was',
      ({ worker }: ReturnType<typeof nested>) => worker.call('help', { parent: `${epoch}-99` }),
    ],
    [
      'a token that is not good',
      ({ worker }: ReturnType<typeof nested>) => worker.call('help', { token: 'cbr_nonsense' }),
    ],
    ['neither parent nor token', ({ worker }: ReturnType<typeof nested>) => worker.call('help')],
  ])('with %s is forbidden [CB-61]', (_, call) => {
    const hub = scenario()
    const setting = nested(hub)
    const id = call(setting)
    const sender = [setting.worker, setting.helper].find(({ received }) => received.includes('result'))!
    expect(sender.result(id)).toBe('forbidden')
  })

  it('is refused when it nests deeper than 8 [CB-62]', () => {
    const hub = scenario()
    const worker = hub.worker('echo', { definitions: tools('echo'), concurrency: 1 })
    hub.agent().call('echo')
    const depths: number[] = []
    let id = ''
    while (worker.received[0] === 'request') {
      const { caller, id: parent } = worker.request()
      depths.push(caller.depth)
      id = worker.call('echo', { parent })
    }
    expect(depths).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(worker.result(id)).toBe('depth_exceeded')
  })

  it('that waits for the calls of its own chain until half of its time is over is a deadlock [CB-64]', () => {
    const hub = scenario()
    const a = hub.worker('a', { definitions: tools('a'), concurrency: 1 })
    hub.agent().call('a')
    const parent = a.request().id
    a.call('a', { parent })
    expect(a.request().caller.depth).toBe(1)
    const waiting = a.call('a', { parent })
    hub.advance(59_999)
    expect(a.received).toEqual([])
    hub.advance(1)
    expect(a.result(waiting)).toBe('deadlock')
  })

  it('that finds its service busy with calls beside it has its turn when they are done', () => {
    const hub = scenario()
    const a = hub.worker('a', { definitions: tools('a'), concurrency: 2 })
    hub.agent().call('a')
    const parent = a.request().id
    for (let count = 0; count < 4; count++) a.call('a', { parent })
    const outcomes: string[] = []
    for (let received = a.takeAll(); received.length > 0; received = a.takeAll()) {
      for (const each of received) {
        if (each.type === 'request') a.respond(each)
        else if (each.type === 'result') outcomes.push(each.outcome)
      }
    }
    expect(outcomes).toEqual(['result', 'result', 'result', 'result'])
  })

  it("that finds its ancestor's service away waits like any other [CB-64]", () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    worker.call('help', { parent })
    const inner = helper.request().id
    worker.drain()
    const id = helper.call('ask', { parent: inner })
    expect(helper.received).toEqual([])
    hub.advance(5_000)
    expect(helper.result(id)).toBe('unavailable')
  })

  it('to a busy service that is no ancestor waits for its turn [CB-64]', () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub, { helper: { concurrency: 1 } })
    const [first, second] = [worker.call('help', { parent }), worker.call('help', { parent })]
    helper.respond(helper.request(), 1)
    helper.respond(helper.request(), 2)
    expect([worker.result(first), worker.result(second)]).toEqual([1, 2])
  })

  it('ends as outcome_unknown when the other worker dies', () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    const id = worker.call('help', { parent })
    helper.die()
    expect(worker.result(id)).toBe('outcome_unknown')
  })
})

describe('the deadline of a CALL [CB-63]', () => {
  it.each([
    ['its own', { own: 5_000 }, 5_000],
    ["its parent's", { own: 999_000 }, 60_000],
    ["its parent's where it has none", {}, 60_000],
    ["its definition's", { own: 50_000, timeoutMs: 1_000 }, 1_000],
  ])('is %s, when that is the earliest', (_, { own, timeoutMs }: { own?: number; timeoutMs?: number }, expected) => {
    const hub = scenario()
    const definitions = tools(
      tool('help', timeoutMs === undefined ? {} : { _meta: { 'callboard/timeoutMs': timeoutMs } }),
    )
    const { worker, helper, parent } = nested(hub, { helper: { definitions } })
    const start = hub.now
    const id = worker.call('help', { parent, ...(own === undefined ? {} : { deadline: start + own }) })
    const request = helper.request()
    expect(request.deadline - start).toBe(expected)
    hub.advance(expected)
    expect(helper.take('cancel').id).toBe(request.id)
    if (expected < 60_000) expect(worker.result(id)).toBe('deadline_exceeded')
  })

  it('of a suspended parent is what its time would be if it went on now', () => {
    const hub = scenario()
    const { worker, helper, request, parent } = nested(hub)
    worker.ask(request)
    hub.advance(300_000)
    worker.call('help', { parent })
    expect(helper.request().deadline).toBe(hub.now + 60_000)
  })
})

describe('cancelling a CALL', () => {
  it('tells the other worker and answers cancelled [CB-63]', () => {
    const hub = scenario()
    const { worker, helper, parent } = nested(hub)
    const id = worker.call('help', { parent })
    const request = helper.request()
    worker.cancel(id)
    expect(worker.result(id)).toBe('cancelled')
    expect(helper.take('cancel')).toMatchObject({ id: request.id, reason: 'cancelled' })
  })

  it.each([
    ['the agent cancels', ({ call }: ReturnType<typeof nested>) => call.cancel()],
    ['the agent is gone', ({ agent }: ReturnType<typeof nested>) => agent.close()],
    ['the parent is answered', ({ worker, request }: ReturnType<typeof nested>) => worker.respond(request)],
    ['the calling worker dies', ({ worker }: ReturnType<typeof nested>) => worker.die()],
  ])('happens through every depth when %s [CB-63]', (_, end) => {
    const hub = scenario()
    const setting = nested(hub)
    const last = hub.worker('last', { definitions: tools('end') })
    setting.worker.call('help', { parent: setting.parent })
    setting.helper.call('end', { parent: setting.helper.request().id })
    last.request()
    end(setting)
    expect(setting.helper.received).toContain('cancel')
    expect(last.take('cancel').reason).toBe('cancelled')
    expect(hub.snapshot.calls).toEqual([])
  })

  it('of an unknown id does nothing', () => {
    const hub = scenario()
    const { worker } = nested(hub)
    worker.cancel('own-99')
    expect(worker.received).toEqual([])
  })
})

describe('a question in a nested call [CB-51]', () => {
  it('goes to the agent at the root, and the answer to the worker that asked', () => {
    const hub = scenario()
    const { worker, helper, agent, call, request, parent } = nested(hub)
    const id = worker.call('help', { parent })
    const inner = helper.request()
    helper.ask(inner, 'which one?')
    expect(call.outcome).toBe('asks "which one?"')
    const again = agent.resume(call, 'the blue one')
    expect(helper.take('resume')).toMatchObject({ id: inner.id, body: json('the blue one') })
    helper.respond(inner, 'helped')
    expect(worker.result(id)).toBe('helped')
    worker.respond(request, 'all done')
    expect(again.outcome).toBe('result "all done"')
  })

  it("is answered by a client that says anew what it wants to hear; its own progress is its caller's affair", () => {
    const hub = scenario()
    const { worker, helper, agent, call, request, parent } = nested(hub)
    worker.call('help', { parent, progress: true })
    const inner = helper.request()
    helper.ask(inner)
    const client = { generation: 'modern', input: [], progress: false, logLevel: 'error' } as const
    const again = agent.resume(call, 'this one', client)
    expect(helper.take('resume').client).toEqual({ ...client, progress: true })
    helper.log('info', {}, inner)
    worker.progress(request, 1)
    helper.log('error', {}, inner)
    expect([again.progress, again.logs]).toEqual([[], ['error {}']])
  })

  it('waits while another is with the agent', () => {
    const hub = scenario()
    const { worker, helper, agent, call, parent } = nested(hub)
    worker.call('help', { parent })
    worker.call('help', { parent })
    const [first, second] = [helper.request(), helper.request()]
    helper.ask(first, 'first?')
    helper.ask(second, 'second?')
    expect(call.outcome).toBe('asks "first?"')
    const next = agent.resume(call, 1)
    expect(next.outcome).toBe('asks "second?"')
    agent.resume(next, 2)
    const resumed = helper.takeAll().map((each) => each.type === 'resume' && [each.id, each.body])
    expect(resumed).toEqual([
      [first.id, json(1)],
      [second.id, json(2)],
    ])
  })

  it('does not stop the deadlines of its ancestors', () => {
    const hub = scenario()
    const { worker, helper, agent, call, parent } = nested(hub)
    worker.call('help', { parent })
    helper.ask(helper.request())
    hub.advance(60_000)
    expect(helper.take('cancel').reason).toBe('cancelled')
    expect(agent.resume(call).outcome).toBe('deadline_exceeded')
  })

  it('of a call without an agent at its root is not asked [CB-48]', () => {
    const hub = scenario()
    const { minter, helper } = minting(hub)
    const { token } = mint(minter)
    minter.call('help', { token })
    const request = helper.request()
    helper.ask(request)
    expect(helper.take('cancel')).toMatchObject({ id: request.id, reason: 'input_abandoned' })
  })
})

describe('tools/list for a worker [CB-60]', () => {
  it('shows what the derived caller sees', () => {
    const hub = scenario()
    const { worker, parent } = nested(hub)
    hub.worker('desk', {
      definitions: tools(tool('approve', { _meta: { 'callboard/roles': ['operator'] } }), 'browse'),
    })
    const { tools: listed } = worker.result(worker.call('', { method: 'tools/list', parent })) as {
      tools: { name: string }[]
    }
    expect(listed.map(({ name }) => name)).toEqual(['ask', 'browse', 'help'])
  })
})

const minting = (hub: ScenarioHub) => ({
  minter: hub.worker('scheduler', { definitions: tools('run'), trusted: true }),
  helper: hub.worker('helper', { definitions: tools('help') }),
})

function mint(
  worker: ScenarioWorker,
  wish: object = { agent: 'sleepy', ttlMs: 60_000 },
): { token: string; expiresAt: number } {
  const id = worker.call('', { method: 'callboard/token.mint', body: json(wish) })
  return worker.result(id) as { token: string; expiresAt: number }
}

describe('tokens [CB-67]', () => {
  it('make an agent of their bearer: principal, group and run as minted, never an operator', () => {
    const hub = scenario()
    const run = { id: 'run-1', attempt: 1, triggerDepth: 2 }
    const { minter } = minting(hub)
    const { token, expiresAt } = mint(minter, {
      agent: 'sleepy',
      ttlMs: 60_000,
      group: 'family',
      run,
      roles: ['operator'],
    })
    expect(expiresAt).toBe(hub.now + 60_000)
    expect(token).toMatch(/^cbr_[\w-]{43}$/)
    expect(hub.broker.identify(token, hub.now)).toEqual({
      session: expect.stringMatching(/^run-/),
      principal: 'agent:sleepy',
      roles: ['agent'],
      group: 'family',
      run,
    })
  })

  it('have a session of their own each', () => {
    const hub = scenario()
    const { minter } = minting(hub)
    const sessions = [1, 2].map(() => hub.broker.identify(mint(minter).token, hub.now)?.session)
    expect(new Set(sessions).size).toBe(2)
  })

  it('let a worker call without a parent, one deep [CB-61] [CB-62]', () => {
    const hub = scenario()
    const { minter, helper } = minting(hub)
    const { token } = mint(minter, { agent: 'sleepy', ttlMs: 1_000, group: 'family' })
    minter.call('help', { token })
    expect(helper.request().caller).toMatchObject({
      principal: 'worker:scheduler',
      onBehalfOf: 'agent:sleepy',
      group: 'family',
      depth: 1,
    })
  })

  it('end by themselves', () => {
    const hub = scenario()
    const { minter } = minting(hub)
    const { token } = mint(minter, { agent: 'sleepy', ttlMs: 1_000 })
    hub.advance(999)
    expect(hub.broker.identify(token, hub.now)).toBeDefined()
    expect(hub.broker.identify(token, hub.now + 1)).toBeUndefined()
    hub.advance(1)
    expect(minter.result(minter.call('help', { token }))).toBe('forbidden')
  })

  it('are revoked by their minter, and by nobody else', () => {
    const hub = scenario()
    const { minter, helper } = minting(hub)
    const { token } = mint(minter)
    const revoke = (worker: ScenarioWorker) =>
      worker.result(worker.call('', { method: 'callboard/token.revoke', body: json({ token }) }))
    expect(revoke(helper)).toEqual({ revoked: false })
    expect(revoke(minter)).toEqual({ revoked: true })
    expect(revoke(minter)).toEqual({ revoked: false })
    expect(hub.broker.identify(token, hub.now)).toBeUndefined()
  })

  it('are revoked by the attempt that they are for, by any process of their service', () => {
    const hub = scenario()
    const { minter, helper } = minting(hub)
    const run = (attempt: number) => ({ id: 'run-1', attempt, triggerDepth: 0 })
    const [first, second, retry] = [1, 1, 2].map(
      (attempt) => mint(minter, { agent: 'sleepy', ttlMs: 60_000, run: run(attempt) }).token,
    )
    const successor = hub.worker('scheduler', { definitions: tools('run'), trusted: true, instance: 'successor' })
    const revoke = (worker: ScenarioWorker, id = 'run-1') => {
      const body = json({ run: { id, attempt: 1 } })
      return worker.result(worker.call('', { method: 'callboard/token.revoke', body }))
    }
    expect(revoke(helper)).toEqual({ revoked: false })
    expect(revoke(successor, 'run-2')).toEqual({ revoked: false })
    expect(revoke(successor)).toEqual({ revoked: true })
    const alive = [first, second, retry].map((token) => hub.broker.identify(token!, hub.now) !== undefined)
    expect(alive).toEqual([false, false, true])
  })

  it.each([
    ['neither token nor run', {}],
    ['both', { token: 'cbr_x', run: { id: 'r', attempt: 1 } }],
    ['half a run', { run: { id: 'r' } }],
    ['no object', 'cbr_x'],
  ])('are not revoked by %s', (_, wish) => {
    const { minter } = minting(scenario())
    const id = minter.call('', { method: 'callboard/token.revoke', body: json(wish) })
    expect(minter.result(id)).toBe('forbidden')
  })

  it('come back at a hub that was restarted, in the same session, with the time that is left', () => {
    const wish = { agent: 'sleepy', ttlMs: 60_000, group: 'family', run: { id: 'r', attempt: 1, triggerDepth: 0 } }
    const before = scenario()
    const { token } = mint(minting(before).minter, wish)
    const after = scenario()
    const { minter, helper } = minting(after)
    expect(after.broker.identify(token, after.now)).toBeUndefined()
    expect(mint(minter, { ...wish, token, ttlMs: 1_000 })).toEqual({ token, expiresAt: after.now + 1_000 })
    expect(after.broker.identify(token, after.now)).toEqual(before.broker.identify(token, before.now))
    minter.call('help', { token })
    expect(helper.request().caller).toMatchObject({ onBehalfOf: 'agent:sleepy', group: 'family', run: wish.run })
    after.advance(1_000)
    expect(after.broker.identify(token, after.now)).toBeUndefined()
  })

  it('that are alive are brought back without effect but for their time', () => {
    const hub = scenario()
    const { minter } = minting(hub)
    const { token } = mint(minter, { agent: 'sleepy', ttlMs: 1_000 })
    mint(minter, { agent: 'sleepy', ttlMs: 5_000, token })
    hub.advance(4_999)
    expect(hub.broker.identify(token, hub.now)).toBeDefined()
    hub.advance(1)
    expect(hub.broker.identify(token, hub.now)).toBeUndefined()
  })

  it.each([
    ['for another agent', { agent: 'other' }],
    ['for another group', { group: 'other' }],
    ['for another run', { run: { id: 'r', attempt: 2, triggerDepth: 0 } }],
  ])('are not brought back %s', (_, other) => {
    const { minter } = minting(scenario())
    const { token } = mint(minter)
    expect(mint(minter, { agent: 'sleepy', ttlMs: 60_000, token, ...other })).toBe('forbidden')
  })

  it('of another service, and those that were revoked, are not brought back', () => {
    const hub = scenario()
    const { minter } = minting(hub)
    const { token } = mint(minter)
    const other = hub.worker('forum', { trusted: true })
    const wish = { agent: 'sleepy', ttlMs: 60_000, token }
    expect(mint(other, wish)).toBe('forbidden')
    minter.result(minter.call('', { method: 'callboard/token.revoke', body: json({ token }) }))
    expect(mint(minter, wish)).toBe('forbidden')
    expect(hub.broker.identify(token, hub.now)).toBeUndefined()
  })

  it('cut off their bearer with their end: its connection is worth nothing any more', () => {
    const hub = scenario()
    const { minter, helper } = minting(hub)
    const { token } = mint(minter)
    const bearer = hub.agent('bearer', hub.broker.identify(token, hub.now)!)
    const running = bearer.call('help')
    const { id } = helper.request()
    minter.call('', { method: 'callboard/token.revoke', body: json({ token }) })
    hub.advance(1)
    expect(running.outcome).toBe('cancelled')
    expect(helper.take('cancel').id).toBe(id)
    expect(bearer.call('help').outcome).toBe('cancelled')
    helper.respond({ id })
  })

  it('end the session of their bearer: workers hear of it [CB-56]', () => {
    const hub = scenario()
    const { minter, helper } = minting(hub)
    const { token } = mint(minter)
    const identity = hub.broker.identify(token, hub.now)!
    minter.call('help', { token })
    helper.respond(helper.request())
    minter.takeAll()
    minter.call('', { method: 'callboard/token.revoke', body: json({ token }) })
    hub.advance(1)
    expect(helper.take('session_closed').session).toBe(identity.session)
  })

  it('are for trusted workers only [CB-24]', () => {
    const { helper } = minting(scenario())
    expect(mint(helper)).toBe('forbidden')
  })

  it.each([
    ['no name', { ttlMs: 1 }],
    ['a name with spaces', { agent: 'a b', ttlMs: 1 }],
    ['no time', { agent: 'a' }],
    ['no time left', { agent: 'a', ttlMs: 0 }],
    ['more than a day', { agent: 'a', ttlMs: 86_400_001 }],
    ['a group that is no name', { agent: 'a', ttlMs: 1, group: '' }],
    ['half a run', { agent: 'a', ttlMs: 1, run: { id: 'r' } }],
    ['a token that no hub has made', { agent: 'a', ttlMs: 1, token: 'cbr_short' }],
    ['a token of another kind', { agent: 'a', ttlMs: 1, token: `cbt_${'a'.repeat(43)}` }],
    ['no object', 'sleepy'],
  ])('are not minted with %s', (_, wish) => {
    const { minter } = minting(scenario())
    expect(mint(minter, wish as object)).toBe('forbidden')
  })

  it('are at most 10,000 [CB-91]', () => {
    const { minter } = minting(scenario())
    for (let count = 0; count < 10_000; count++) mint(minter, { agent: `a${count}`, ttlMs: 1_000 })
    expect(mint(minter)).toBe('overloaded')
  })

  it('come back even when there are as many as can be', () => {
    const { minter } = minting(scenario())
    const wishes = Array.from({ length: 10_000 }, (_, count) => ({ agent: `a${count}`, ttlMs: 1_000 }))
    const [first] = wishes.map((wish) => mint(minter, wish).token)
    expect(mint(minter, { ...wishes[0], token: first })).toMatchObject({ token: first })
  })
})
