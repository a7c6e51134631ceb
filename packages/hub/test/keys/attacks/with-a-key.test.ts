import { describe, expect, it } from 'vitest'
import { body, head, type RawWorker } from '../../raw-worker.js'
import { BesiegedHub } from './besieged-hub.js'

/** Frames that the hub has taken before, as they were. */
interface Recorded {
  readonly head: Buffer
  readonly body: Buffer
}

const definitions = body({ tools: [{ name: 'thief', inputSchema: { type: 'object' } }] })

function recordedReady(worker: RawWorker, proof: object): Recorded {
  const value = {
    type: 'ready',
    epoch: worker.epoch,
    service: worker.service,
    version: '1.0.0',
    instance: worker.instance,
    workerEpoch: 7,
    concurrency: 4,
    heartbeatMs: 60_000,
    replicas: 'many',
    affinity: 'none',
    held: [],
    ...proof,
  }
  return { head: head(value), body: definitions }
}

describe('a worker with a key of its own', () => {
  it("can't sign in as the service of another", async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('thief')
    const worker = scene.peer('canary', pair)
    await worker.hello()
    await worker.ready(scene.proof(worker, pair))
    expect(await worker.next('reject')).toMatchObject({ code: 'not_authorized' })
    expect(scene.count('sign_in_refused.not_authorized')).toBe(1)
    expect(scene.lines).toContainEqual(expect.objectContaining({ message: 'sign-in refused', key: 'thief' }))
    await scene.servesOthers()
  })

  it("can't sign in by naming the key of another, which it does not hold", async () => {
    const scene = await BesiegedHub.start()
    const [own, other] = [await scene.newKey('thief'), await scene.newKey('victim')]
    const worker = scene.peer('victim', own)
    await worker.hello()
    await worker.ready({ ...scene.proof(worker, own), key: other.publicKey })
    expect(await worker.next('reject')).toMatchObject({ code: 'bad_proof' })
    expect(scene.count('sign_in_refused.bad_proof')).toBe(1)
    expect(scene.lines).toContainEqual(expect.objectContaining({ message: 'sign-in refused', code: 'bad_proof' }))
    await scene.servesOthers()
  })

  it("gets nothing by the routing id of another: not its sign-in, not its calls' answers, not its place", async () => {
    const scene = await BesiegedHub.start()
    const [own, other] = [await scene.newKey('thief'), await scene.newKey('victim')]
    const victim = await scene.signedIn('victim', other)
    const lost = scene.agent.call('victim')
    const { id } = await victim.next('request')
    const thief = scene.peer('thief', own, victim.routingId)
    await thief.respond(id, { content: [{ type: 'text', text: 'forged' }] })
    expect(await lost).toBe('outcome_unknown')
    thief.close()
    const hello = head({ type: 'hello', versions: [1, 1] })
    // As long as they take the place from each other, what was sent may be lost.
    await expect
      .poll(
        async () => {
          await victim.send(hello).catch(() => undefined)
          return victim.received.includes('challenge')
        },
        { timeout: 8_000, interval: 200 },
      )
      .toBe(true)
    await scene.signIn(victim.answerAll(), other)
    expect(await scene.agent.call('victim')).toBe('victim')
    await scene.servesOthers()
  }, 15_000)

  it('offers nothing outside its patterns, neither at once nor later', async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('thief', 'tools=thief_*')
    const worker = scene.peer('thief', pair)
    await worker.hello()
    const offer = (...names: string[]) => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) })
    await worker.ready(scene.proof(worker, pair), offer('thief_one', 'transfer'))
    const { refused } = JSON.parse((await worker.next('welcome'))['text'] as string)
    expect(refused).toMatchObject([{ name: 'transfer', code: 'not_authorized' }])
    await worker.send(head({ type: 'update', epoch: worker.epoch }), body(offer('thief_two', 'transfer', 'canary')))
    await worker.roundTrip()
    await expect.poll(() => scene.agent.tools()).toEqual(['canary', 'thief_two'])
    await scene.servesOthers()
  })

  it("READY recorded on another's connection is worth nothing on a second one", async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('victim')
    const first = scene.peer('victim', pair)
    await first.hello()
    const recorded = recordedReady(first, scene.proof(first, pair))
    await first.send(recorded.head, recorded.body)
    await first.next('welcome')
    const second = scene.peer('victim', await scene.newKey('thief'))
    await second.hello()
    await second.send(recorded.head, recorded.body)
    expect(await second.next('reject')).toMatchObject({ code: 'bad_proof' })
    expect(scene.count('sign_in_refused.bad_proof')).toBe(1)
    expect(scene.services()).toEqual(['canary', 'victim'])
    await scene.servesOthers()
  })

  it('what was recorded is worth nothing after a reconnect, even under the same routing id', async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('victim')
    const first = scene.peer('victim', pair, 'victim/known')
    await first.hello()
    const recorded = recordedReady(first, scene.proof(first, pair))
    await first.send(recorded.head, recorded.body)
    await first.next('welcome')
    const called = scene.agent.call('thief')
    const { id } = await first.next('request')
    const answer = [head({ type: 'response', id, outcome: 'result' }), body({ content: [] })] as const
    first.close()
    expect(await called).toBe('outcome_unknown')
    const second = scene.peer('victim', pair, 'victim/known')
    await second.send(...answer)
    expect(await second.next('reject')).toMatchObject({ code: 'unknown_peer' })
    await second.send(recorded.head, recorded.body)
    expect(await second.next('reject')).toMatchObject({ code: 'unknown_peer' })
    await second.hello()
    await second.send(recorded.head, recorded.body)
    expect(await second.next('reject')).toMatchObject({ code: 'bad_proof' })
    expect(scene.services()).toEqual(['canary'])
    await scene.servesOthers()
  })

  it("can't answer a call that another holds, whether it guesses the id or knows it", async () => {
    const scene = await BesiegedHub.start()
    const holder = await scene.signedIn('holder', await scene.newKey('holder'))
    const thief = await scene.signedIn('thief', await scene.newKey('thief'))
    const called = scene.agent.call('holder')
    const { id } = await holder.next('request')
    const guesses = Array.from({ length: 40 }, (_, serial) => `${thief.epoch}-${serial}`)
    for (const guess of [id, ...guesses]) await thief.respond(guess, { content: [{ type: 'text', text: 'forged' }] })
    await thief.roundTrip()
    expect(scene.count('frames_dropped.unknown_call')).toBe(41)
    await holder.respond(id)
    expect(await called).toBe('holder')
    await scene.servesOthers()
  })

  it('an answer of its own counts once', async () => {
    const scene = await BesiegedHub.start()
    const thief = await scene.signedIn('thief', await scene.newKey('thief'))
    const called = scene.agent.call('thief')
    const { id } = await thief.next('request')
    for (const text of ['one', 'two', 'three']) await thief.respond(id, { content: [{ type: 'text', text }] })
    await thief.roundTrip()
    expect(await called).toBe('one')
    expect(scene.count('frames_dropped.unknown_call')).toBe(2)
    await scene.servesOthers()
  })

  const good = '{"content":[{"type":"text","text":"mine"}]}'
  it.each([
    ['a second line', `${good}\n{"jsonrpc":"2.0","id":1,"result":{}}`],
    ['a line break within', '{"content":[]\n,"jsonrpc":"2.0"\n}\n{"jsonrpc":"2.0","id":2,"result":{}}'],
    ['an extra brace', `${good}},"id":7,"x":{`],
    ['an answer to another id', '{"content":[]},"id":1},{"jsonrpc":"2.0","id":2,"result":{"content":[]}'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('forges no message by its result: %s', async (_, bytes) => {
    const scene = await BesiegedHub.start()
    const thief = await scene.signedIn('thief', await scene.newKey('thief'))
    const called = scene.agent.call('thief')
    const { id } = await thief.next('request')
    await thief.send(head({ type: 'response', id, outcome: 'result' }), Buffer.from(bytes as string))
    expect(JSON.stringify(await called)).toContain('internal')
    await scene.servesOthers()
    expect(scene.lines.filter(({ message }) => /fault|invalid|result|malformed/i.test(message)).length).toBeGreaterThan(
      0,
    )
  })

  it('a frame beyond the limit costs it its connection, and nobody else anything', async () => {
    const scene = await BesiegedHub.start()
    const thief = await scene.signedIn('thief', await scene.newKey('thief'))
    const lost = scene.agent.call('thief')
    await thief.next('request')
    const back = thief.reconnected()
    await thief.send(Buffer.alloc(4 * 1024 * 1024 + 1))
    expect(await lost).toBe('outcome_unknown')
    await back
    expect(scene.services()).toEqual(['canary'])
    expect(scene.lines).toContainEqual(expect.objectContaining({ message: 'worker was lost', service: 'thief' }))
    await scene.servesOthers()
  })

  it('garbage of it is counted before and after it signs in', async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('thief')
    const thief = scene.peer('thief', pair)
    const garbage = () =>
      thief.send(Buffer.from([0xc1, 1, 2, 3]), Buffer.from('{'), Buffer.alloc(9)).catch(() => undefined)
    for (let count = 0; count < 500; count++) await garbage()
    await scene.signIn(thief, pair)
    const before = faults(scene)
    expect(before).toBeGreaterThan(0)
    for (let count = 0; count < 500; count++) await garbage()
    await thief.roundTrip()
    expect(faults(scene)).toBeGreaterThan(before)
    expect(await scene.agent.tools()).toEqual(['canary', 'thief'])
    await scene.servesOthers()
  })

  it('connections without end that say HELLO and no more: some are kept, no more than there may be', async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('thief')
    const peers = Array.from({ length: 300 }, () => scene.peer('thief', pair))
    await Promise.all(peers.map((peer) => peer.hello()))
    expect(scene.hub.snapshot().timers).toBeLessThan(300)
    expect(scene.services()).toEqual(['canary'])
    await scene.servesOthers()
  }, 20_000)
})

function faults(scene: BesiegedHub): number {
  const counts = Object.entries(scene.hub.snapshot().counters).filter(([name]) => name.startsWith('frames_faulty.'))
  return counts.reduce((sum, [, count]) => sum + count, 0)
}
