import { beforeEach, describe, expect, it } from 'vitest'
import type { Authorization, KeyBook } from '../../src/broker/authorization.js'
import { acceptanceOf } from '../../src/pinning/worker-identity.js'
import { policyOf } from '../policy/read.js'
import { parsed, type ScenarioHub, type ScenarioWorker, scenario, tool, tools, type WorkerSetup } from './scenario.js'

/** The allow-list of an operator who may change it at any time. */
class Book implements KeyBook {
  readonly #lines = new Map<string, Authorization>()
  readonly #expired = new Set<string>()
  /** A list that can't be read in full: nobody new comes in, and who is in stays. */
  isBroken = false

  put(key: string, rights: Partial<Authorization> = {}): void {
    this.#lines.set(key, {
      name: 'ada',
      services: ['notes'],
      tools: ['*'],
      resources: ['*'],
      trusted: false,
      ...rights,
    })
  }

  take(key: string): void {
    this.#lines.delete(key)
  }

  /** Its time is over: its line stays. */
  expire(key: string): void {
    this.take(key)
    this.#expired.add(key)
  }

  hasExpired(key: string): boolean {
    return this.#expired.has(key)
  }

  find(key: string): Authorization | undefined {
    return this.isBroken ? undefined : this.standing(key)
  }

  standing(key: string): Authorization | undefined {
    return this.#lines.get(key)
  }

  /** Of every key but one of z's, which is on no curve. */
  sharedSecret(key: string): Uint8Array | undefined {
    return key.startsWith('z') ? undefined : Buffer.from(key)
  }
}

const keyOf = (letter: string): string => letter.repeat(40)
const key = keyOf('a')
const other = keyOf('b')
let book: Book
let hub: ScenarioHub

beforeEach(() => {
  book = new Book()
  book.put(key)
  hub = scenario({ keys: book })
})

const worker = (setup: WorkerSetup = {}): ScenarioWorker => hub.worker('notes', { key, ...setup })
const changed = () => hub.step({ type: 'keys_changed' })
const services = () => hub.snapshot.workers.map(({ service }) => service)

/** What is said to whoever asks to come in. */
function answerTo(stranger: ScenarioWorker, ready: object = {}): unknown {
  stranger.hello()
  const [challenge] = stranger.takeAll()
  if (challenge?.type !== 'challenge') return challenge
  stranger.ready(challenge, ready)
  return stranger.takeAll()[0]
}

describe('a worker that signs in by its key [CB-105]', () => {
  it('is known by the name of the key, and not trusted unless the list says so', () => {
    worker()
    expect(hub.snapshot.workers).toMatchObject([{ service: 'notes', key: 'ada', trusted: false }])
    book.put(other, { name: 'ben', services: ['kernel'], trusted: true })
    expect(hub.worker('kernel', { key: other }).state).toBe('signed_in')
    expect(hub.snapshot.workers).toMatchObject([{}, { service: 'kernel', key: 'ben', trusted: true }])
  })

  it.each<[string, string, WorkerSetup, object, string]>([
    ['without naming it', 'notes', { key }, { key: undefined }, 'key_required'],
    ['by one that nobody authorized', 'notes', { key: other }, {}, 'key_refused'],
    ['without a proof', 'notes', { key }, { proof: undefined }, 'bad_proof'],
    ['with another proof', 'notes', { key }, { proof: Buffer.alloc(32) }, 'bad_proof'],
    ['for another service', 'diary', { key }, {}, 'not_authorized'],
  ])('is refused %s', (_, service, setup, ready, code) => {
    expect(answerTo(hub.stranger(service, setup), ready)).toMatchObject({ type: 'reject', code })
    expect(hub.counter(`sign_in_refused.${code}`)).toBe(1)
    expect(services()).toEqual([])
  })

  it('is refused by one that is on no curve, be it in the list', () => {
    book.put(keyOf('z'))
    expect(answerTo(hub.stranger('notes', { key: keyOf('z') }))).toMatchObject({ code: 'key_refused' })
  })

  it('is refused where the hub knows no keys', () => {
    const keyless = scenario()
    expect(answerTo(keyless.stranger('notes', { key }))).toMatchObject({ code: 'key_refused' })
  })

  it('has no reserved name without trust, be it in the list', () => {
    book.put(key, { services: ['kernel'] })
    const stranger = hub.stranger('kernel', { key })
    expect(answerTo(stranger)).toMatchObject({ code: 'not_authorized', message: expect.stringContaining('reserved') })
  })

  it('may do so on this machine too; without one the secret alone counts', () => {
    const local = hub.stranger('notes')
    local.hello()
    const { nonce, epoch } = local.take('challenge')
    local.ready({ nonce, epoch }, { proof: Buffer.alloc(32) })
    expect(local.take('reject').code).toBe('bad_proof')
    expect(hub.worker('notes', { trusted: true }).state).toBe('signed_in')
    expect(hub.snapshot.workers).toMatchObject([{ trusted: true }])
    expect(hub.snapshot.workers[0]?.key).toBeUndefined()
  })
})

describe('another list of keys [CB-108]', () => {
  it('leaves those in whose keys are worth what they were', () => {
    const [first, second] = [worker(), hub.worker('local')]
    book.put(key, { services: ['diary', 'notes'] })
    changed()
    expect([first.received, second.received, services()]).toEqual([[], [], ['notes', 'local']])
  })

  it('cuts off whose key is gone, and its calls end as with any lost worker', () => {
    const notes = worker({ definitions: tools('write') })
    const call = hub.agent().call('write')
    notes.request()
    book.take(key)
    changed()
    expect(notes.take('reject')).toMatchObject({ code: 'key_refused' })
    expect([services(), call.outcome]).toEqual([[], 'outcome_unknown'])
    expect(hub.notices).toContainEqual(expect.objectContaining({ kind: 'worker_left', reason: 'key_revoked' }))
    expect(hub.log).toContain('setting_changed keys')
  })

  it('says of a key whose time is over that it has expired', () => {
    const notes = worker()
    book.expire(key)
    changed()
    expect(notes.take('reject').code).toBe('key_refused')
    expect(hub.notices).toContainEqual(expect.objectContaining({ kind: 'worker_left', reason: 'key_expired' }))
  })

  it.each<[string, Partial<Authorization>]>([
    ['another name', { name: 'ben' }],
    ['trust', { trusted: true }],
    ['other tools', { tools: ['read_*'] }],
    ['one pattern for tools more', { tools: ['*', 'read'] }],
    ['other resources', { resources: [] }],
    ['other services', { services: ['diary'] }],
  ])('lets whose key has now %s sign in anew', (_, rights) => {
    const notes = worker()
    book.put(key, rights)
    changed()
    expect([notes.take('reject').code, services()]).toEqual(['unknown_peer', []])
  })

  it('that can not be read takes nobody for revoked, and admits nobody', () => {
    const notes = worker()
    book.isBroken = true
    changed()
    expect([notes.received, services()]).toEqual([[], ['notes']])
    expect(answerTo(hub.stranger('notes', { key }))).toMatchObject({ code: 'key_refused' })
  })

  it('is asked at HELLO over a connection that was cut off, until the key is good again', () => {
    const notes = worker()
    book.take(key)
    changed()
    notes.takeAll()
    expect(answerTo(notes)).toMatchObject({ type: 'reject', code: 'key_refused' })
    expect(hub.counter('sign_in_refused.key_refused')).toBe(1)
    book.put(key)
    expect(answerTo(notes)).toMatchObject({ type: 'welcome' })
  })
})

describe('what a key does not allow [CB-107]', () => {
  const narrow = { tools: ['read_*'], resources: ['note:*'] }
  const verdicts = (welcome: unknown) =>
    (parsed((welcome as { body: Uint8Array }).body) as { refused: { name: string; code: string }[] }).refused.map(
      ({ name, code }) => `${name} ${code}`,
    )

  it('is refused in READY one by one, and the rest serves', () => {
    book.put(key, narrow)
    const welcome = answerTo(
      hub.stranger('notes', {
        key,
        definitions: {
          ...tools('read_one', 'wipe'),
          resources: [{ uri: 'file:///etc', name: 'etc' }],
          resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'note' }],
          prompts: [{ name: 'read_all' }, { name: 'sum' }],
        },
      }),
    )
    expect(verdicts(welcome)).toEqual(['wipe not_authorized', 'file:///etc not_authorized', 'sum not_authorized'])
    expect(hub.snapshot.services).toMatchObject([{ tools: ['read_one'] }])
  })

  it('is in no list after an UPDATE either', () => {
    book.put(key, narrow)
    const notes = worker({ definitions: tools('read_one') })
    const agent = hub.agent()
    notes.update({ ...tools('read_one', 'read_two', 'wipe'), prompts: [{ name: 'sum' }] })
    expect(agent.tools).toEqual(['read_one', 'read_two'])
    expect(agent.call('wipe').outcome).toBe('unknown')
    expect(hub.broker.list('prompt', agent.identity, 'session')).toEqual([])
    notes.update(tools('wipe'))
    hub.advance(1_000)
    expect(agent.tools).toEqual([])
  })

  it('is no tool of a single session either', () => {
    book.put(key, narrow)
    const notes = worker({ definitions: tools('read_one') })
    const agent = hub.agent()
    notes.show(agent.identity.session, { tools: [tool('read_mine'), tool('wipe')], hiddenTools: ['read_one'] })
    expect(agent.tools).toEqual(['read_mine'])
    expect(hub.counter('own_tools_dropped.not_authorized')).toBe(1)
  })
})

describe('whose definitions an operator accepted', () => {
  it('is said by the name of the key, and not by the service alone', () => {
    hub.step({ type: 'pins_changed', accepted: new Set() })
    worker({ definitions: tools('greet') })
    const [held] = hub.broker.held()
    expect(held).toMatchObject({ identity: 'key:ada', service: 'notes' })
    const accept = (identity: string) =>
      hub.step({ type: 'pins_changed', accepted: new Set([acceptanceOf(identity, 'notes', held!.hash)]) })
    const agent = hub.agent()
    accept('service:notes')
    expect(agent.tools).toEqual([])
    accept('key:ada')
    expect(agent.tools).toEqual(['greet'])
  })
})

describe('a journal', () => {
  it('names the key of the worker that had a call', () => {
    const recording = scenario({ keys: book, audit: { refuses: () => false } })
    const notes = recording.worker('notes', { key, definitions: tools('read') })
    recording.step({ type: 'policy_changed', policy: policyOf({ rules: [] }) })
    recording.agent().call('read')
    notes.respond(notes.request())
    expect(recording.records).toMatchObject([{ worker: notes.instance, key: 'ada' }])
  })
})
