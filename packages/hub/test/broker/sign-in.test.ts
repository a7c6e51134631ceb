import { describe, expect, it } from 'vitest'
import { refusalReportMs, refusalsToldMax } from '../../src/broker/limits.js'
import { epoch, json, parsed, scenario, tool, tools } from './scenario.js'

describe('the sign-in ladder', () => {
  it('goes HELLO, CHALLENGE, READY, WELCOME [CB-10] [CB-12] [CB-16]', () => {
    const hub = scenario()
    const worker = hub.stranger('greeter')
    worker.hello()
    const challenge = worker.take('challenge')
    expect(challenge).toMatchObject({ version: 1, epoch })
    expect(challenge.nonce).toHaveLength(32)
    worker.ready(challenge)
    expect(worker.take('welcome')).toMatchObject({ epoch, now: hub.now, trusted: false })
    expect(hub.log).toEqual(['worker_joined greeter'])
  })

  it('speaks the one version that both know, out of a wider range [CB-80]', () => {
    const worker = scenario().stranger('greeter')
    worker.hello([0, 9])
    expect(worker.take('challenge').version).toBe(1)
  })

  it.each([[[2, 3]], [[0, 0]]] as const)('refuses versions %j [CB-12]', (versions) => {
    const worker = scenario().stranger('greeter')
    worker.hello(versions)
    expect(worker.take('reject')).toMatchObject({ code: 'unsupported_version' })
  })

  it('sends a peer that is not signed in back to HELLO [CB-11]', () => {
    const worker = scenario().stranger('greeter')
    worker.beat()
    expect(worker.take('reject')).toMatchObject({ code: 'unknown_peer', retryAfterMs: 0 })
  })

  it('gives a second nonce to nobody: a HELLO that crossed is answered with the same challenge [CB-12]', () => {
    const worker = scenario().stranger('greeter')
    worker.hello()
    worker.hello()
    const first = worker.take('challenge')
    expect(worker.take('challenge').nonce).toEqual(first.nonce)
    worker.ready(first)
    expect(worker.take('welcome')).toBeDefined()
  })

  it('drops and counts what a challenged peer had in its socket, and still takes its READY [CB-11]', () => {
    const hub = scenario()
    const worker = hub.stranger('greeter')
    worker.hello()
    worker.beat()
    expect(hub.counter('frames_dropped.out_of_turn')).toBe(1)
    worker.ready(worker.take('challenge'))
    expect(worker.received).toEqual(['welcome'])
  })

  it('takes READY only after a challenge, and only once [CB-15]', () => {
    const worker = scenario().stranger('greeter')
    worker.ready({ nonce: new Uint8Array(32), epoch })
    expect(worker.take('reject').code).toBe('unknown_peer')
    worker.hello()
    const challenge = worker.take('challenge')
    worker.ready(challenge, { proof: new Uint8Array(32) })
    expect(worker.take('reject').code).toBe('bad_proof')
    worker.ready(challenge)
    expect(worker.take('reject').code).toBe('unknown_peer')
  })

  it('lets a challenge expire after 10 s, each HELLO beginning them anew [CB-12]', () => {
    const hub = scenario()
    const worker = hub.stranger('greeter')
    worker.hello()
    hub.advance(9_000)
    worker.hello()
    hub.advance(9_999)
    const [challenge] = [worker.take('challenge'), worker.take('challenge')]
    worker.ready(challenge)
    expect(worker.take('welcome')).toBeDefined()

    const late = hub.stranger('greeter')
    late.hello()
    hub.advance(10_000)
    late.ready(late.take('challenge'))
    expect(late.take('reject').code).toBe('unknown_peer')
  })

  it("refuses the READY of another hub's epoch [CB-15]", () => {
    const worker = scenario().stranger('greeter')
    worker.hello()
    worker.ready({ ...worker.take('challenge'), epoch: 'hubepoch00' })
    expect(worker.take('reject').code).toBe('unknown_peer')
  })

  it('drops a READY of a worker that is signed in [CB-83]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    worker.ready({ nonce: new Uint8Array(32), epoch })
    expect(worker.received).toEqual([])
    expect(hub.counter('frames_dropped.out_of_turn')).toBe(1)
  })

  it('voids the sign-in of a worker that says HELLO again [CB-11]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    worker.hello()
    expect(call.outcome).toBe('outcome_unknown')
    expect(hub.log).toContain('worker_left greeter hello_again')
  })

  it('voids it too when a second connection comes under the same routing id [CB-73] [CB-87]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    hub.step({ type: 'peer_connected', peer: worker.peer })
    worker.beat()
    expect(worker.take('reject').code).toBe('unknown_peer')
    expect(hub.log).toContain('worker_left greeter taken_over')
  })

  it('forgets the challenge of a connection that is taken over [CB-87]', () => {
    const hub = scenario()
    const worker = hub.stranger('greeter')
    worker.hello()
    hub.step({ type: 'peer_connected', peer: worker.peer })
    worker.ready(worker.take('challenge'))
    expect(worker.take('reject').code).toBe('unknown_peer')
  })

  it('keeps 256 strangers, and forgets the oldest for one more [CB-91]', () => {
    const hub = scenario()
    const strangers = Array.from({ length: 257 }, () => hub.stranger('greeter'))
    for (const stranger of strangers) stranger.hello()
    const [oldest, second] = strangers
    oldest!.ready(oldest!.take('challenge'))
    expect(oldest!.take('reject').code).toBe('unknown_peer')
    second!.ready(second!.take('challenge'))
    expect(second!.take('welcome')).toBeDefined()
  })

  it('answers faults of a peer that is not signed in with REJECT, and counts them [CB-82]', () => {
    const hub = scenario()
    const worker = hub.stranger('greeter')
    const fault = { code: 'head_malformed', message: 'no' } as const
    hub.step({ type: 'faults', peer: worker.peer, faults: [fault, fault] })
    expect(worker.received).toEqual(['reject'])
    expect(hub.counter('frames_faulty.head_malformed')).toBe(2)
    expect(hub.log).toEqual(['peer_faults head_malformed'])
  })

  it('leaves the sign-in of a worker alone when it sends faults [CB-8]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    hub.step({ type: 'faults', peer: worker.peer, faults: [{ code: 'type_unknown', message: 'no' }] })
    expect(worker.received).toEqual([])
    hub.agent().call('greet')
    expect(worker.received).toEqual(['request'])
  })
})

describe('trust', () => {
  it('is given for the right proof [CB-14]', () => {
    const worker = scenario().stranger('kernel', { trusted: true })
    expect(worker.signIn().trusted).toBe(true)
  })

  it('refuses a wrong proof, even for a name that needs none [CB-15]', () => {
    const hub = scenario()
    const worker = hub.stranger('greeter')
    worker.hello()
    worker.ready(worker.take('challenge'), { proof: new Uint8Array(32) })
    expect(worker.take('reject')).toMatchObject({ code: 'bad_proof' })
    expect(hub.log).toEqual(['sign_in_refused greeter bad_proof'])
    expect(hub.counter('sign_in_refused.bad_proof')).toBe(1)
  })

  it('tells of a bounded number of refusals a minute, under however many names they come', () => {
    const hub = scenario()
    const refuse = (round: string) => {
      for (let index = 0; index < refusalsToldMax + 50; index++) {
        const worker = hub.stranger(`${round}-${index}`)
        worker.hello()
        worker.ready(worker.take('challenge'), { proof: new Uint8Array(32) })
      }
    }
    refuse('a')
    expect(hub.log).toHaveLength(refusalsToldMax)
    hub.advance(refusalReportMs)
    refuse('b')
    expect(hub.log).toHaveLength(2 * refusalsToldMax)
    expect(hub.counter('sign_in_refused.bad_proof')).toBe(2 * (refusalsToldMax + 50))
  })

  it.each(['service', 'instance'] as const)('takes no proof made for another %s [CB-14]', (field) => {
    const worker = scenario().stranger('greeter', { trusted: true })
    worker.hello()
    worker.ready(worker.take('challenge'), { [field]: 'somebody-else' })
    expect(worker.take('reject').code).toBe('bad_proof')
  })

  it('is needed for a reserved name [CB-24]', () => {
    const worker = scenario().stranger('kernel')
    worker.hello()
    worker.ready(worker.take('challenge'))
    expect(worker.take('reject')).toMatchObject({ code: 'proof_required' })
  })

  it('does not exist in a hub without a secret: no name is reserved, proofs are ignored [CB-24]', () => {
    const hub = scenario({ signInSecret: undefined })
    expect(hub.stranger('kernel').signIn().trusted).toBe(false)
    expect(hub.stranger('kernel', { trusted: true }).signIn().trusted).toBe(false)
  })
})

describe('instances and replicas', () => {
  it('refuses an instance that is signed in elsewhere [CB-15]', () => {
    const hub = scenario()
    hub.worker('greeter', { instance: 'twin', workerEpoch: 5 })
    const twin = hub.stranger('greeter', { instance: 'twin', workerEpoch: 5 })
    twin.hello()
    twin.ready(twin.take('challenge'))
    expect(twin.take('reject')).toMatchObject({ code: 'duplicate_instance', retryAfterMs: 1_000 })
  })

  it("lets the same instance take over with a higher workerEpoch; the old peer's calls are lost [CB-15]", () => {
    const hub = scenario()
    const old = hub.worker('greeter', { instance: 'me', workerEpoch: 1, replicas: 'one' })
    const call = hub.agent().call('greet')
    old.request()
    const again = hub.worker('greeter', { instance: 'me', workerEpoch: 2, replicas: 'one' })
    expect(call.outcome).toBe('outcome_unknown')
    expect(hub.log).toContain('worker_left greeter taken_over')
    hub.agent().call('greet')
    expect(again.received).toEqual(['request'])
    old.beat()
    expect(old.take('reject').code).toBe('unknown_peer')
  })

  it('takes over neither another service nor another trust [CB-15]', () => {
    const hub = scenario()
    hub.worker('greeter', { instance: 'me', workerEpoch: 1 })
    for (const [service, trusted] of [
      ['other', false],
      ['greeter', true],
    ] as const) {
      const thief = hub.stranger(service, { instance: 'me', workerEpoch: 9, trusted })
      thief.hello()
      thief.ready(thief.take('challenge'))
      expect(thief.take('reject').code).toBe('duplicate_instance')
    }
  })

  it('holds a worker that takes over to what its replicas agreed on [CB-15]', () => {
    const hub = scenario()
    hub.worker('greeter', { instance: 'me', workerEpoch: 1 })
    hub.worker('greeter')
    const again = hub.stranger('greeter', { instance: 'me', workerEpoch: 2, affinity: 'session' })
    again.hello()
    again.ready(again.take('challenge'))
    expect(again.take('reject').code).toBe('service_conflict')
  })

  it.each([
    ['a second instance where one replica may be', { replicas: 'one' }, { replicas: 'one' }],
    ['replicas that disagree on being one', { replicas: 'many' }, { replicas: 'one' }],
    ['replicas that disagree on affinity', { affinity: 'none' }, { affinity: 'session' }],
    ['an unproven worker that joins a trusted service', { trusted: true }, { trusted: false }],
    ['a trusted worker that joins an unproven service', { trusted: false }, { trusted: true }],
  ] as const)('refuses %s [CB-15]', (_, first, second) => {
    const hub = scenario()
    const holder = hub.worker('greeter', first)
    const rival = hub.stranger('greeter', second)
    rival.hello()
    rival.ready(rival.take('challenge'))
    expect(rival.take('reject')).toMatchObject({ code: 'service_conflict', retryAfterMs: 1_000 })
    holder.die()
    rival.signIn()
    expect(hub.snapshot.workers.map(({ instance }) => instance)).toEqual([rival.instance])
  })

  it('takes 1,000 workers [CB-15]', () => {
    const hub = scenario()
    for (let count = 0; count < 1_000; count++) hub.worker('greeter')
    const more = hub.stranger('greeter')
    more.hello()
    more.ready(more.take('challenge'))
    expect(more.take('reject')).toMatchObject({ code: 'too_many_workers', retryAfterMs: 5_000 })
  })

  it('admits nobody while the hub shuts down [CB-78]', () => {
    const hub = scenario()
    hub.drain('all')
    const worker = hub.stranger('greeter')
    worker.hello()
    expect(worker.take('reject')).toMatchObject({ code: 'shutting_down', retryAfterMs: 1_000 })
  })
})

describe('definitions at sign-in', () => {
  it.each([
    ['no JSON', Buffer.from('{')],
    ['no object', json([])],
    ['a list that is none', json({ tools: {} })],
    ['completions that are no list', json({ completions: 'all' })],
    [
      'nesting that would exhaust the stack',
      Buffer.from(
        `{"tools":[{"name":"greet","inputSchema":{"type":"object","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]}`,
      ),
    ],
    ['more definitions than anyone could judge', json({ tools: new Array(10_001).fill(0) })],
  ])('refuses %s [CB-15] [CB-20]', (_, body) => {
    const worker = scenario().stranger('greeter')
    worker.hello()
    worker.ready(worker.take('challenge'), { body })
    expect(worker.take('reject').code).toBe('invalid_definitions')
  })

  it('judges each by itself and says what is wrong with it [CB-21] [CB-22]', () => {
    const hub = scenario()
    hub.worker('first', { definitions: tools('taken') })
    const worker = hub.stranger('second', { definitions: tools('taken', 'bad name', 'good') })
    const { refused } = parsed(worker.signIn().body) as { refused: object[] }
    expect(refused).toMatchObject([
      { kind: 'tool', name: 'taken', code: 'name_taken', holder: 'first' },
      { kind: 'tool', name: 'bad name', code: 'invalid' },
    ])
    expect(hub.agent().tools).toEqual(['taken', 'good'])
  })

  it('quarantines what only a replica of an older version has [CB-23]', () => {
    const hub = scenario()
    hub.worker('greeter', { version: '2.0.0', definitions: tools('greet') })
    const old = hub.stranger('greeter', { version: '1.0.0', definitions: tools('greet', 'wave') })
    expect(parsed(old.signIn().body)).toMatchObject({ refused: [{ kind: 'tool', name: 'wave', code: 'quarantined' }] })
  })

  it("asks the hub's own check, too: a client must be able to read what is listed [CB-21]", () => {
    const inspect = (_: string, value: object) => ('title' in value ? 'title: no titles here' : undefined)
    const worker = scenario({ inspect }).stranger('greeter', { definitions: tools(tool('greet', { title: 1 })) })
    expect(parsed(worker.signIn().body)).toMatchObject({
      refused: [{ code: 'invalid', message: 'title: no titles here' }],
    })
  })
})

describe('calls still held from before [CB-18]', () => {
  it('are cancelled as unknown, and use a credit until their final frame', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1, held: [`${epoch}-old`] })
    expect(worker.take('cancel')).toMatchObject({ id: `${epoch}-old`, reason: 'unknown_call' })
    const call = hub.agent().call('greet')
    expect(worker.received).toEqual([])
    worker.respond({ id: `${epoch}-old` })
    worker.respond(worker.request())
    expect(call.outcome).toBe('result "done"')
    expect(hub.counter('frames_dropped.late')).toBe(1)
  })

  it('of another epoch are ignored: their credits would never come back', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1, held: ['hubepoch00-1', `${epoch}`] })
    hub.agent().call('greet')
    expect(worker.received).toEqual(['request'])
  })
})
