import { describe, expect, it } from 'vitest'
import { epoch, json, parsed, readOnly, scenario, tool, tools } from './scenario.js'

describe("an agent's call", () => {
  it('reaches the worker with everything that it needs [CB-30] [CB-31] [CB-35]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const run = { id: 'run-1', attempt: 2, triggerDepth: 0 }
    const agent = hub.agent('main', { group: 'family', roles: ['agent', 'operator'], run })
    agent.call('greet', {
      body: json({ name: 'greet' }),
      traceparent: '00-1',
      tracestate: 'a=b',
      idempotencyKey: 'key',
    })
    const request = worker.request()
    expect(request).toEqual({
      type: 'request',
      id: `${epoch}-1`,
      method: 'tools/call',
      name: 'greet',
      deadline: hub.now + 120_000,
      idempotencyKey: 'key',
      caller: {
        session: 'session of main',
        principal: 'agent:main',
        roles: ['agent', 'operator'],
        group: 'family',
        depth: 0,
        run,
      },
      client: { generation: 'modern', input: ['form'], progress: true, logLevel: 'info' },
      traceparent: '00-1',
      tracestate: 'a=b',
      body: json({ name: 'greet' }),
    })
    worker.respond(request)
  })

  it('has its id as idempotency key where the agent gave none', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    hub.agent().call('greet')
    const request = worker.request()
    expect(request.idempotencyKey).toBe(request.id)
  })

  it("ends with the worker's result, byte for byte [CB-32]", () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { trusted: true })
    const call = hub.agent().call('greet')
    const body = Buffer.from(' {"content" : [] }')
    worker.send({ type: 'response', id: worker.request().id, outcome: 'result', body })
    expect(call.raw).toEqual({ kind: 'result', body, isError: false, trusted: true })
  })

  it("ends with the worker's isError [CB-32]", () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    worker.respond(worker.request(), 'no', true)
    expect(call.outcome).toBe('tool error "no"')
  })

  it("ends with the worker's JSON-RPC error [CB-32]", () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    worker.fail(worker.request(), 'broken')
    expect(call.outcome).toBe('error broken')
  })

  it('of an unknown tool ends at once', () => {
    const hub = scenario()
    hub.worker('greeter')
    expect(hub.agent().call('gret').outcome).toBe('unknown')
  })

  it('of a tool for other roles ends just as that of a tool that does not exist', () => {
    const hub = scenario()
    const definitions = tools(tool('approve', { _meta: { 'callboard/roles': ['operator'] } }))
    const worker = hub.worker('desk', { definitions })
    expect(hub.agent().call('approve').raw).toEqual(hub.agent().call('never-was').raw)
    hub.agent('boss', { roles: ['agent', 'operator'] }).call('approve')
    expect(worker.received).toEqual(['request'])
  })

  it('of a service that is not open to this agent is unknown, too', () => {
    const hub = scenario()
    hub.worker('greeter')
    const open = hub.worker('qda', { definitions: tools('code') })
    const stranger = hub.agent('http', { services: ['qda'] })
    expect(stranger.tools).toEqual(['code'])
    expect(stranger.call('greet').outcome).toBe('unknown')
    stranger.call('code')
    expect(open.received).toEqual(['request'])
  })

  it('on a closed connection is cancelled', () => {
    const hub = scenario()
    hub.worker('greeter')
    const agent = hub.agent()
    agent.close()
    expect(agent.call('greet').outcome).toBe('cancelled')
  })

  it.each([
    ['resources/read', 'note://7', 'note://7'],
    ['resources/read', 'page://any/where', 'page://any/where'],
    ['prompts/get', 'ask', 'ask'],
    ['completion/complete', 'ask', 'ask'],
    ['completion/complete', 'page://{+path}', 'page://{+path}'],
  ] as const)('%s of %s goes to the worker that offers it [CB-30]', (method, name, told) => {
    const hub = scenario()
    const worker = hub.worker('notes', {
      definitions: {
        resources: [{ uri: 'note://7', name: 'seven' }],
        resourceTemplates: [{ uriTemplate: 'page://{+path}', name: 'page' }],
        prompts: [{ name: 'ask' }],
        completions: ['ask', 'page://{+path}'],
      },
    })
    hub.agent().call(name, { method })
    expect(worker.request()).toMatchObject({ method, name: told })
  })
})

describe('progress and logs', () => {
  it('reach the call while it runs [CB-41] [CB-42]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    const request = worker.request()
    worker.progress(request, { progress: 1 })
    worker.log('error', 'careful', request)
    worker.log('debug', 'not wanted', request)
    worker.respond(request)
    expect(call.progress).toEqual([{ progress: 1 }])
    expect(call.logs).toEqual(['error "careful"'])
  })

  it('are kept from a client that wants none [CB-41] [CB-42]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const { logLevel: _, ...client } = { progress: false, logLevel: undefined }
    const call = hub.agent().call('greet', { client })
    const request = worker.request()
    worker.progress(request, { progress: 1 })
    expect(call.progress).toEqual([])
  })

  it('after the final frame are dropped and counted [CB-43]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    const request = worker.request()
    worker.respond(request)
    worker.progress(request, { progress: 1 })
    worker.log('error', 'late', request)
    expect([call.progress, call.logs]).toEqual([[], []])
    expect(hub.counter('frames_dropped.late')).toBe(2)
  })

  it('larger than 64 KiB are dropped and counted [CB-41] [CB-42]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    const request = worker.request()
    worker.progress(request, 'x'.repeat(64 * 1024))
    worker.log('error', 'x'.repeat(64 * 1024), request)
    expect([call.progress, call.logs]).toEqual([[], []])
    expect(hub.counter('frames_dropped.too_large')).toBe(2)
  })

  it("without a call go to the hub's own log, 1,000 a second [CB-42]", () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    for (let count = 0; count < 1_001; count++) worker.log('info', 'hello')
    expect(hub.workerLogs).toEqual(new Array(1_000).fill('greeter info "hello"'))
    expect(hub.counter('frames_dropped.log_rate')).toBe(1)
    hub.advance(1_000)
    worker.log('info', 'again')
    expect(hub.workerLogs).toHaveLength(1_001)
  })
})

describe('frames about calls that a worker does not hold [CB-43]', () => {
  it("do nothing to another worker's call", () => {
    const hub = scenario()
    const holder = hub.worker('greeter')
    const other = hub.worker('other', { definitions: tools('wave') })
    const call = hub.agent().call('greet')
    const request = holder.request()
    other.respond(request, 'forged')
    other.progress(request, { progress: 1 })
    other.log('error', 'forged', request)
    other.ask(request)
    expect(call.outcome).toBe('open')
    expect([call.progress, call.logs]).toEqual([[], []])
    expect(hub.counter('frames_dropped.unknown_call')).toBe(2)
    expect(hub.counter('frames_dropped.late')).toBe(2)
    holder.respond(request)
    expect(call.outcome).toBe('result "done"')
  })

  it('do nothing when the call never was', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    worker.respond({ id: `${epoch}-999` })
    worker.respond({ id: 'anything' })
    expect(hub.counter('frames_dropped.unknown_call')).toBe(2)
  })

  it('do nothing when it was answered already', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    hub.agent().call('greet')
    const request = worker.request()
    worker.respond(request)
    worker.respond(request, 'twice')
    expect(hub.counter('frames_dropped.unknown_call')).toBe(1)
  })
})

describe('a deadline [CB-39]', () => {
  it("is the agent's, within the definition's", () => {
    const hub = scenario()
    const definitions = tools(tool('slow', { _meta: { 'callboard/timeoutMs': 300_000 } }), 'quick')
    const worker = hub.worker('greeter', { definitions, concurrency: 4 })
    const agent = hub.agent()
    for (const timeoutMs of [1_000, 9_999_999]) agent.call('slow', { timeoutMs })
    agent.call('slow')
    agent.call('quick', { timeoutMs: 200_000 })
    const deadlines = worker.takeAll().map((each) => (each.type === 'request' ? each.deadline - hub.now : each.type))
    expect(deadlines).toEqual([1_000, 300_000, 300_000, 120_000])
  })

  it('ends a running call; its credit stays out until the final frame', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    const call = agent.call('greet', { timeoutMs: 5_000 })
    const request = worker.request()
    hub.advance(4_999)
    expect(call.outcome).toBe('open')
    hub.advance(1)
    expect(call.outcome).toBe('deadline_exceeded')
    expect(worker.take('cancel')).toMatchObject({ id: request.id, reason: 'deadline_exceeded' })

    const next = agent.call('greet')
    expect(worker.received).toEqual([])
    worker.respond(request, 'late')
    expect(hub.counter('frames_dropped.late')).toBe(1)
    worker.respond(worker.request())
    expect(next.outcome).toBe('result "done"')
  })

  it('ends a call that waited for half of its time, which no worker ever hears of', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    agent.call('greet')
    const request = worker.request()
    const queued = agent.call('greet', { timeoutMs: 1_000 })
    hub.advance(499)
    expect(queued.outcome).toBe('open')
    hub.advance(1)
    expect(queued.raw).toMatchObject({ failure: { code: 'overloaded', retryable: true } })
    worker.respond(request)
    expect(worker.received).toEqual([])
  })
})

describe('cancelling', () => {
  it('tells the worker, and keeps the credit until its final frame [CB-40]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    const call = agent.call('greet')
    const request = worker.request()
    call.cancel()
    expect(call.outcome).toBe('cancelled')
    expect(worker.take('cancel')).toMatchObject({ id: request.id, reason: 'cancelled' })
    agent.call('greet')
    expect(worker.received).toEqual([])
    worker.respond(request)
    expect(worker.received).toEqual(['request'])
  })

  it('of a queued call tells nobody', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    agent.call('greet')
    const request = worker.request()
    const queued = agent.call('greet')
    queued.cancel()
    expect(queued.outcome).toBe('cancelled')
    worker.respond(request)
    expect(worker.received).toEqual([])
  })

  it('of a call that is answered does nothing', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    worker.respond(worker.request())
    call.cancel()
    expect(worker.received).toEqual([])
  })

  it('happens to all calls of a connection that closes, and to no others', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const [leaving, staying] = [hub.agent(), hub.agent()]
    const [lost, kept] = [leaving.call('greet'), staying.call('greet')]
    worker.takeAll()
    leaving.close()
    expect([lost.outcome, kept.outcome]).toEqual(['cancelled', 'open'])
    expect(worker.received).toEqual(['cancel'])
  })
})

describe('not_started', () => {
  it.each(['draining', 'over_credit', 'foreign_epoch', 'not_signed_in', 'stale'] as const)(
    '%s: the call goes to another worker under the same id [CB-31] [CB-33] [CB-37]',
    (reason) => {
      const hub = scenario()
      const [first, second] = [hub.worker('greeter', { concurrency: 1 }), hub.worker('greeter', { concurrency: 1 })]
      const call = hub.agent().call('greet')
      const request = first.request()
      first.decline(request, reason)
      const [taker] = [first, second].filter(({ received }) => received.includes('request'))
      const again = taker!.request()
      expect(again).toEqual(request)
      taker!.respond(again)
      expect(call.outcome).toBe('result "done"')
      expect(hub.counter(`not_started.${reason}`)).toBe(1)
    },
  )

  it('gives up after three hand-overs [CB-37]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    for (const _ of [1, 2, 3]) worker.decline(worker.request(), 'over_credit')
    expect(worker.received).toEqual([])
    expect(call.raw).toMatchObject({ failure: { code: 'unavailable', retryable: true, retryAfterMs: 1_000 } })
  })

  it('past the deadline is the deadline', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet', { timeoutMs: 1_000 })
    const request = worker.request()
    hub.now += 1_000
    worker.decline(request, 'expired')
    expect(call.outcome).toBe('deadline_exceeded')
  })

  it('keeps the place of the call before younger ones of its session', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    agent.call('greet', { body: json('older') })
    agent.call('greet', { body: json('younger') })
    worker.decline(worker.request(), 'over_credit')
    expect(parsed(worker.request().body)).toBe('older')
  })
})

describe('a lost connection', () => {
  it('ends at once what may have been started [CB-36] [CB-37]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    worker.die()
    expect(call.outcome).toBe('outcome_unknown')
    expect(hub.notices.at(-1)).toMatchObject({ kind: 'worker_left', reason: 'connection_lost', callsLost: 1 })
  })

  it('does the same when a frame cannot be sent [CB-73]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    hub.step({ type: 'send_failed', peer: worker.peer })
    expect(call.outcome).toBe('outcome_unknown')
  })

  it.each(['readOnlyHint', 'idempotentHint'])(
    'hands a call with %s to another worker, with the same id and key [CB-36]',
    (hint) => {
      const hub = scenario()
      const definitions = tools(tool('look', { annotations: { [hint]: true } }))
      const [first, second] = [hub.worker('finder', { definitions }), hub.worker('finder', { definitions })]
      const call = hub.agent().call('look')
      const request = first.request()
      first.die()
      const again = second.request()
      expect(again).toEqual(request)
      second.respond(again)
      expect(call.outcome).toBe('result "done"')
    },
  )

  it('hands over again what changes nothing by its meaning: resources, prompts, completions [CB-36]', () => {
    const hub = scenario()
    const definitions = { resources: [{ uri: 'note://7', name: 'seven' }] }
    const [first, second] = [hub.worker('notes', { definitions }), hub.worker('notes', { definitions })]
    hub.agent().call('note://7', { method: 'resources/read' })
    first.request()
    first.die()
    expect(second.received).toEqual(['request'])
  })

  it('hands over three times at most [CB-37]', () => {
    const hub = scenario()
    const definitions = tools(readOnly('look'))
    const call = hub.worker('finder', { definitions }) && hub.agent().call('look')
    for (const _ of [1, 2, 3]) {
      hub.workers.at(-1)!.die()
      hub.worker('finder', { definitions })
    }
    expect(call.outcome).toBe('outcome_unknown')
    expect(hub.workers.at(-1)!.received).toEqual([])
  })

  it('does not say of such a call that it was not started, when nobody takes it again', () => {
    const hub = scenario()
    const call = hub.worker('finder', { definitions: tools(readOnly('look')) }) && hub.agent().call('look')
    hub.workers.at(-1)!.die()
    hub.advance(5_000)
    expect(call.outcome).toBe('outcome_unknown')
  })

  it('hands such a call to no worker that still runs it from before, until its final frame [CB-37]', () => {
    const hub = scenario()
    const definitions = tools(readOnly('look'))
    const worker = hub.worker('finder', { definitions, concurrency: 2 })
    const call = hub.agent().call('look')
    const request = worker.request()
    hub.step({ type: 'peer_lost', peer: worker.peer })
    worker.signIn({ held: [request.id] })
    expect(worker.take('cancel')).toMatchObject({ id: request.id, reason: 'unknown_call' })
    expect(worker.received).toEqual([])
    worker.respond(request, 'of the earlier attempt')
    expect(call.outcome).toBe('open')
    worker.respond(worker.request(), 'of this attempt')
    expect(call.outcome).toBe('result "of this attempt"')
  })

  it('frees the credits of what the worker never answered', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    hub.agent().call('greet').cancel()
    worker.die()
    worker.takeAll()
    worker.signIn()
    hub.agent().call('greet')
    expect(worker.received).toEqual(['request'])
  })
})

describe('a question to a person', () => {
  const asking = (hub: ReturnType<typeof scenario>, setup = {}, client = {}) => {
    const worker = hub.worker('greeter', { concurrency: 1, ...setup })
    const agent = hub.agent()
    const call = agent.call('greet', { timeoutMs: 10_000, client })
    const request = worker.request()
    worker.ask(request)
    return { worker, agent, call, request }
  }

  it('ends the turn; the answer begins the next one on the same instance [CB-45] [CB-49]', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    expect(call.outcome).toBe('asks "why?"')
    expect(call.question).toBe(request.id)
    const again = agent.resume(call)
    expect(worker.take('resume')).toMatchObject({ id: request.id, body: json('because') })
    worker.respond(request)
    expect(again.outcome).toBe('result "done"')
  })

  it('is answered by a client that says anew what it wants to hear, and the worker learns it [CB-49]', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub, {}, { progress: false, logLevel: 'info' })
    const client = { generation: 'modern', input: ['url'], progress: true, logLevel: 'error' } as const
    const again = agent.resume(call, 'because', client)
    expect(worker.take('resume').client).toEqual(client)
    worker.progress(request, 1)
    worker.log('warning', {}, request)
    worker.log('error', {}, request)
    expect([again.progress, again.logs]).toEqual([[1], ['error {}']])
  })

  it('leaves the client as it was when the answer says nothing of it', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub, {}, { logLevel: 'warning' })
    const again = agent.resume(call)
    expect(worker.take('resume')).not.toHaveProperty('client')
    worker.progress(request, 1)
    worker.log('info', {}, request)
    worker.log('warning', {}, request)
    expect([again.progress, again.logs]).toEqual([[1], ['warning {}']])
  })

  it('stops the deadline, and RESUME brings what was left of it [CB-46] [CB-49]', () => {
    const hub = scenario()
    const { worker, agent, call } = asking(hub)
    hub.advance(300_000)
    const again = agent.resume(call)
    expect(worker.take('resume').deadline).toBe(hub.now + 10_000)
    hub.advance(9_999)
    expect(again.outcome).toBe('open')
    hub.advance(1)
    expect(again.outcome).toBe('deadline_exceeded')
  })

  it('frees the credit; RESUME takes it again, even beyond the concurrency [CB-46] [CB-49]', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    agent.call('greet')
    const other = worker.request()
    agent.resume(call)
    expect(worker.take('resume')).toBeDefined()
    agent.call('greet')
    worker.respond(other)
    expect(worker.received).toEqual([])
    worker.respond(request)
    expect(worker.received).toEqual(['request'])
  })

  it('can be asked again and again', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    const second = agent.resume(call)
    worker.take('resume')
    worker.ask(request, 'and now?')
    expect(second.outcome).toBe('asks "and now?"')
    const third = agent.resume(second)
    worker.take('resume')
    worker.respond(request)
    expect(third.outcome).toBe('result "done"')
  })

  it('is answered once: a second answer is refused', () => {
    const hub = scenario()
    const { agent, call } = asking(hub)
    agent.resume(call)
    expect(agent.resume(call).outcome).toBe('cancelled')
  })

  it('is answered by its own principal only', () => {
    const hub = scenario()
    const { worker, agent, call } = asking(hub)
    const thief = hub.agent('thief')
    expect(thief.resume(call).outcome).toBe('cancelled')
    thief.abandon(call)
    expect(worker.received).toEqual([])
    agent.resume(call)
    expect(worker.received).toEqual(['resume'])
  })

  it('given up cancels the call [CB-45]', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    agent.abandon(call)
    expect(worker.take('cancel')).toMatchObject({ id: request.id, reason: 'cancelled' })
    expect(agent.resume(call).outcome).toBe('cancelled')
  })

  it.each([
    ["the worker's own time", 5_000, 5_000],
    ['ten minutes', 600_000, 600_000],
  ])(
    'not answered within %s lets the worker end the call, with the rest of its time [CB-47]',
    (_, timeoutMs, waitMs) => {
      const hub = scenario()
      const worker = hub.worker('greeter')
      const agent = hub.agent()
      const call = agent.call('greet', { timeoutMs: 10_000 })
      const request = worker.request()
      worker.ask(request, 'why?', timeoutMs)
      hub.advance(waitMs - 1)
      expect(worker.received).toEqual([])
      hub.advance(1)
      expect(worker.take('cancel')).toMatchObject({ id: request.id, reason: 'input_abandoned' })
      worker.respond(request, 'went on without')
      expect(agent.resume(call).outcome).toBe('result "went on without"')
    },
  )

  it('that came too late answers no later question of the same call', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const agent = hub.agent()
    const call = agent.call('greet')
    const request = worker.request()
    worker.ask(request, 'may I delete one file?', 5_000)
    hub.advance(5_000)
    worker.take('cancel')
    worker.ask(request, 'may I delete all files?')
    const second = agent.resume(call, 'yes')
    expect(worker.received).toEqual([])
    expect(second.outcome).toBe('asks "may I delete all files?"')
  })

  it('of a legacy connection ends with the connection', () => {
    const hub = scenario()
    const { worker, agent } = asking(hub, {}, { generation: 'legacy' })
    agent.close()
    expect(worker.take('cancel').reason).toBe('cancelled')
  })

  it('of a modern one outlives it: the answer may come on another connection', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    agent.close()
    const again = hub.agent().resume(call)
    worker.take('resume')
    worker.respond(request)
    expect(again.outcome).toBe('result "done"')
  })

  it('answered on another connection belongs to that one', () => {
    const hub = scenario()
    const { worker, agent, call } = asking(hub)
    const other = hub.agent()
    const again = other.resume(call)
    worker.take('resume')
    agent.close()
    expect(again.outcome).toBe('open')
    other.close()
    expect(again.outcome).toBe('cancelled')
    expect(worker.take('cancel').reason).toBe('cancelled')
  })

  it('is forgotten after eleven minutes without an answer, whatever the worker does', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    worker.respond(request, 'never mind')
    hub.advance(660_000)
    expect(hub.snapshot.conversations).toBe(0)
    expect(agent.resume(call).outcome).toBe('cancelled')
  })

  it('is answered with the outcome when the worker has ended the call meanwhile [CB-45]', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    worker.respond(request, 'never mind')
    expect(agent.resume(call).outcome).toBe('result "never mind"')
    expect(worker.received).toEqual([])
  })

  it('that was no question after all leaves the call with its time: not_started hands it over again', () => {
    const hub = scenario()
    const { worker, agent, call, request } = asking(hub)
    hub.advance(60_000)
    worker.decline(request, 'stale')
    expect(worker.request().id).toBe(request.id)
    const again = agent.resume(call)
    hub.advance(10_000)
    expect(again.outcome).toBe('deadline_exceeded')
  })

  it('ends with its instance, even for a call that could be repeated [CB-50]', () => {
    const hub = scenario()
    const definitions = tools(readOnly('greet'))
    const { worker, agent, call } = asking(hub, { definitions })
    const other = hub.worker('greeter', { definitions })
    worker.die()
    expect(agent.resume(call).outcome).toBe('outcome_unknown')
    expect(other.received).toEqual([])
  })

  it('is not asked beyond 64 of one instance [CB-48]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 100 })
    const agent = hub.agent()
    const calls = Array.from({ length: 65 }, () => {
      const call = agent.call('greet')
      worker.ask(worker.request())
      return call
    })
    expect(calls.map(({ outcome }) => outcome)).toEqual([...new Array(64).fill('asks "why?"'), 'open'])
    expect(worker.take('cancel').reason).toBe('input_abandoned')
    expect(hub.snapshot.workers).toMatchObject([{ suspended: 64, inFlight: 1 }])
  })

  it('of a call that is not running is dropped [CB-43]', () => {
    const hub = scenario()
    const { worker, request } = asking(hub)
    worker.ask(request, 'twice')
    expect(hub.counter('frames_dropped.unknown_call')).toBe(1)
  })

  it('nobody answered uses its credit again until the final frame [CB-47]', () => {
    const hub = scenario()
    const { worker, agent, request } = asking(hub)
    hub.advance(600_000)
    worker.take('cancel')
    agent.call('greet')
    expect(worker.received).toEqual([])
    worker.respond(request)
    expect(worker.received).toEqual(['request'])
  })
})
