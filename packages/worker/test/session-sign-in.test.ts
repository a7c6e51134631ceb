import { concurrencyMax, heldMax, signInProof } from '@callboard/protocol'
import { describe, expect, test } from 'vitest'
import { encodeJson } from '../src/json-body.js'
import { noHubNoticeMs, noHubRepeatMs } from '../src/limits.js'
import { epochA, epochB, nonce, Scenario } from './scenario.js'

describe('signing in', () => {
  test('says HELLO when the link is up, READY to the challenge, and is ready with WELCOME', () => {
    const scenario = new Scenario()
    expect(scenario.session.state).toBe('connecting')
    scenario.step({ type: 'link_up' })
    expect(scenario.sent('hello')).toEqual([{ type: 'hello', versions: [1, 1] }])
    expect(scenario.session.state).toBe('signing_in')
    scenario.challenge()
    expect(scenario.sent('ready')).toEqual([
      {
        type: 'ready',
        epoch: epochA,
        service: 'greeter',
        version: '1.0.0',
        instance: 'instance-1',
        workerEpoch: 1,
        concurrency: 2,
        heartbeatMs: 1_000,
        replicas: 'many',
        affinity: 'none',
        held: [],
        body: encodeJson({ tools: [] }),
      },
    ])
    const refused = [{ kind: 'tool', name: 'x', code: 'name_taken', message: 'taken', holder: 'other' }]
    scenario.deliver({
      type: 'welcome',
      epoch: epochA,
      now: scenario.now,
      trusted: false,
      body: encodeJson({ refused }),
    })
    expect(scenario.done('ready')).toEqual([{ type: 'ready', trusted: false, refused }])
    expect(scenario.session.state).toBe('ready')
  })

  test('proves the secret over nonce, epoch, routing id, service and instance', () => {
    const scenario = new Scenario({ secret: 'sesame' })
    scenario.signIn()
    const subject = {
      nonce,
      epoch: epochA,
      routingId: 'greeter/instance-1',
      service: 'greeter',
      instance: 'instance-1',
    }
    expect(scenario.sent('ready')[0]?.proof).toEqual(signInProof('sesame', subject))
  })

  test('says HELLO again after 1, 2, 4 and then every 5 seconds without an answer [CB-19]', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    const at: number[] = []
    const start = scenario.now
    for (let i = 0; i < 17_000; i += 250) {
      scenario.clear()
      scenario.advance(250)
      if (scenario.sent('hello').length > 0) at.push(scenario.now - start)
    }
    expect(at).toEqual([1_000, 3_000, 7_000, 12_000, 17_000])
  })

  test('says HELLO by itself when nobody tells that the link is up', () => {
    const scenario = new Scenario()
    scenario.advance(1_000)
    expect(scenario.sent('hello')).toHaveLength(1)
  })

  test('says HELLO again when READY stays unanswered [CB-19]', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.advance(2_000)
    expect(scenario.sent('hello')).toHaveLength(2)
  })

  test('answers a doubled challenge once, and a newer one again', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.challenge()
    expect(scenario.sent('ready')).toHaveLength(1)
    scenario.challenge(epochA, new Uint8Array(32).fill(8))
    expect(scenario.sent('ready').map(({ workerEpoch }) => workerEpoch)).toEqual([1, 2])
  })

  test('takes no WELCOME of another epoch, and none without READY', () => {
    const scenario = new Scenario()
    const welcome = { type: 'welcome', now: scenario.now, trusted: true, body: encodeJson({ refused: [] }) } as const
    scenario.deliver({ ...welcome, epoch: epochA })
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.deliver({ ...welcome, epoch: epochB })
    expect(scenario.session.state).toBe('signing_in')
  })

  test('survives a WELCOME whose verdicts are no JSON', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.deliver({ type: 'welcome', epoch: epochA, now: scenario.now, trusted: true, body: Buffer.from('{') })
    expect(scenario.done('ready')[0]?.refused).toEqual([])
  })
})

describe('being refused', () => {
  const reject = (code: 'unknown_peer' | 'bad_proof' | 'proof_required' | 'too_many_workers', retryAfterMs?: number) =>
    ({ type: 'reject', code, message: 'no', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }) as const

  test('without retryAfterMs is final', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.deliver(reject('proof_required'))
    expect(scenario.done('fatal')).toEqual([{ type: 'fatal', code: 'proof_required', message: 'no' }])
    expect(scenario.session.state).toBe('closed')
    expect(scenario.session.nextDeadline()).toBe(Number.POSITIVE_INFINITY)
  })

  test('bad_proof for the nonce of a challenge from the connection before costs one more HELLO', () => {
    const scenario = new Scenario({ secret: 'sesame' })
    const ofThisLink = new Uint8Array(32).fill(8)
    scenario.step({ type: 'link_up' })
    scenario.step({ type: 'link_lost' })
    scenario.signIn()
    scenario.step({ type: 'link_lost' })
    scenario.step({ type: 'link_up' })
    scenario.challenge(epochA, new Uint8Array(32).fill(6))
    scenario.challenge(epochA, ofThisLink)
    // The hub used its challenge up for the first READY, so it does not know that of the second any more.
    scenario.deliver(reject('bad_proof'))
    scenario.clear()
    scenario.deliver(reject('unknown_peer'))
    scenario.advance(100)
    expect(scenario.sent('hello')).toHaveLength(1)
    scenario.welcome()
    expect(scenario.session.state).toBe('ready')
    expect(scenario.done('fatal')).toEqual([])
  })

  test('bad_proof is final the second time in a row, and a WELCOME ends the row', () => {
    const scenario = new Scenario()
    const refuse = () => {
      scenario.challenge(epochA, new Uint8Array(32).fill(9))
      scenario.deliver(reject('bad_proof'))
    }
    scenario.step({ type: 'link_up' })
    refuse()
    scenario.advance(100)
    scenario.welcome()
    scenario.step({ type: 'link_lost' })
    scenario.step({ type: 'link_up' })
    refuse()
    expect(scenario.done('fatal')).toEqual([])
    scenario.clear()
    scenario.advance(99)
    expect(scenario.sent('hello')).toEqual([])
    scenario.advance(1)
    expect(scenario.sent('hello')).toHaveLength(1)
    refuse()
    expect(scenario.done('fatal')).toEqual([{ type: 'fatal', code: 'bad_proof', message: 'no' }])
    expect(scenario.session.state).toBe('closed')
  })

  test('a challenge in a version that the worker does not speak is final, and no READY answers it [CB-80]', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.deliver({ type: 'challenge', version: 2, nonce, epoch: epochA })
    expect(scenario.sent('ready')).toEqual([])
    const message = 'it speaks version 2 of the protocol, this worker version 1 only'
    expect(scenario.done('fatal')).toEqual([{ type: 'fatal', code: 'unsupported_version', message }])
    expect(scenario.session.state).toBe('closed')
  })

  test('is not final while it may answer an earlier HELLO', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.advance(1_000)
    scenario.challenge()
    scenario.deliver(reject('bad_proof'))
    expect(scenario.done('fatal')).toEqual([])
    scenario.clear()
    scenario.advance(100)
    expect(scenario.sent('hello')).toHaveLength(1)
    scenario.challenge(epochA, new Uint8Array(32).fill(9))
    scenario.deliver(reject('bad_proof'))
    expect(scenario.done('fatal')).toHaveLength(1)
  })

  test('with retryAfterMs tries again then', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.clear()
    scenario.deliver(reject('too_many_workers', 3_000))
    scenario.advance(2_999)
    expect(scenario.sent('hello')).toHaveLength(0)
    scenario.advance(1)
    expect(scenario.sent('hello')).toHaveLength(1)
  })

  test('unknown_peer starts again at once, and ever later while the hub keeps saying it', () => {
    const scenario = new Scenario()
    scenario.signIn()
    const id = scenario.request()
    scenario.clear()
    scenario.deliver(reject('unknown_peer'))
    expect(scenario.sent('hello')).toHaveLength(1)
    expect(scenario.aborted()).toEqual([`${id} link_lost`])
    const pauses: number[] = []
    for (let i = 0; i < 9; i++) {
      scenario.clear()
      scenario.deliver(reject('unknown_peer'))
      const from = scenario.now
      while (scenario.sent('hello').length === 0) scenario.advance(10)
      pauses.push(scenario.now - from)
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
  })

  test('a sign-in that held for an echo forgets the pauses before it', () => {
    const scenario = new Scenario()
    scenario.signIn()
    for (let i = 0; i < 3; i++) {
      scenario.clear()
      scenario.deliver(reject('unknown_peer'))
      expect(scenario.sent('hello')).toHaveLength(1)
      scenario.welcome()
    }
  })
})

describe('losing the hub', () => {
  test('aborts what runs, sends nothing for it, and reports to the same hub what still runs', () => {
    const scenario = new Scenario()
    scenario.signIn()
    const [stubborn, quick] = [scenario.request(), scenario.request()]
    scenario.step({ type: 'link_lost' })
    expect(scenario.aborted()).toEqual([`${stubborn} link_lost`, `${quick} link_lost`])
    expect(scenario.done('unready')).toHaveLength(1)
    expect(scenario.session.state).toBe('connecting')
    scenario.settle(quick)
    scenario.clear()
    scenario.signIn()
    expect(scenario.sent('ready')[0]).toMatchObject({ workerEpoch: 2, held: [stubborn] })
    expect(scenario.responses()).toEqual([])
    scenario.settle(stubborn)
    expect(scenario.responses()).toEqual([`${stubborn} result`])
    scenario.expectQuiet()
  })

  test('a reported call that settles before WELCOME still gets its final frame', () => {
    const scenario = new Scenario()
    scenario.signIn()
    const id = scenario.request()
    scenario.step({ type: 'link_lost' })
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.settle(id)
    expect(scenario.responses()).toEqual([`${id} result`])
  })

  test('a reported call uses its credit until it settles', () => {
    const scenario = new Scenario({ concurrency: 1 })
    scenario.signIn()
    const id = scenario.request()
    scenario.step({ type: 'link_lost' })
    scenario.signIn()
    const next = scenario.request()
    expect(scenario.responses()).toEqual([`${next} over_credit`])
    scenario.settle(id)
    scenario.request()
    expect(scenario.started()).toHaveLength(2)
  })

  test('READY names as many calls as it may, the newest; the others are not owed an answer', () => {
    const scenario = new Scenario({ concurrency: concurrencyMax })
    scenario.signIn()
    const [first, second] = [scenario.request({ depth: 1 }), scenario.request({ depth: 1 })]
    const newest = Array.from({ length: heldMax }, () => scenario.request())
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    scenario.signIn()
    expect(scenario.sent('ready')[0]?.held).toEqual(newest)
    scenario.settle(first)
    expect(scenario.responses()).toEqual([])
    // The hub knows nothing of them any more, so either may come again; but not beside its former handler.
    for (const id of [first, second]) scenario.request({ id, depth: 1 })
    expect(scenario.started()).toEqual([first])
    expect(scenario.responses()).toEqual([`${second} over_credit`])
    scenario.settle(second)
    scenario.request({ id: second, depth: 1 })
    expect(scenario.started()).toEqual([first, second])
  })

  test('a restarted hub hears nothing of the calls of the old one, which are aborted [CB-19]', () => {
    const scenario = new Scenario({ concurrency: 1 })
    scenario.signIn()
    const old = scenario.request()
    scenario.step({ type: 'link_lost' })
    expect(scenario.aborted()).toEqual([`${old} link_lost`])
    scenario.clear()
    scenario.signIn(epochB)
    expect(scenario.sent('ready')[0]?.held).toEqual([])
    const fresh = scenario.request({ epoch: epochB })
    expect(scenario.started()).toEqual([fresh])
    scenario.settle(old)
    expect(scenario.responses()).toEqual([])
    scenario.settle(fresh)
    expect(scenario.responses()).toEqual([`${fresh} result`])
    scenario.expectQuiet()
  })

  test('three heartbeats without an echo count as a lost hub', () => {
    const scenario = new Scenario()
    scenario.signIn()
    const id = scenario.request()
    scenario.echoes = false
    scenario.clear()
    scenario.advance(3_999)
    expect(scenario.sent('heartbeat')).toHaveLength(3)
    expect(scenario.sent('hello')).toEqual([])
    scenario.advance(1)
    expect(scenario.sent('hello')).toHaveLength(1)
    expect(scenario.aborted()).toEqual([`${id} link_lost`])
  })

  test('a handshake on a link that was thought alive starts a new sign-in', () => {
    const scenario = new Scenario()
    scenario.signIn()
    const id = scenario.request()
    scenario.clear()
    scenario.step({ type: 'link_up' })
    expect(scenario.aborted()).toEqual([`${id} link_lost`])
    expect(scenario.sent('hello')).toHaveLength(1)
  })

  test('the notice of the loss may come after the new HELLO, even after READY', () => {
    const scenario = new Scenario()
    scenario.signIn()
    scenario.step({ type: 'link_up' })
    scenario.step({ type: 'link_lost' })
    scenario.welcome()
    expect(scenario.session.state).toBe('ready')
    scenario.step({ type: 'link_up' })
    scenario.challenge()
    scenario.step({ type: 'link_lost' })
    scenario.clear()
    scenario.advance(1_000)
    expect(scenario.sent('hello')).toHaveLength(1)
    scenario.welcome()
    expect(scenario.session.state).toBe('ready')
  })

  test('a BYE that nobody asked for sends the worker back to HELLO', () => {
    const scenario = new Scenario()
    scenario.signIn()
    scenario.clear()
    scenario.deliver({ type: 'bye', epoch: epochB })
    expect(scenario.session.state).toBe('ready')
    scenario.deliver({ type: 'bye', epoch: epochA })
    scenario.advance(100)
    expect(scenario.sent('hello')).toHaveLength(1)
  })
})

describe('a worker without a hub says so', () => {
  const notices = (scenario: Scenario) => scenario.done('waiting').map(({ refusal }) => refusal ?? 'no hub')

  test('soon, and then rarely', () => {
    const scenario = new Scenario()
    scenario.advance(noHubNoticeMs - 1)
    expect(notices(scenario)).toEqual([])
    scenario.advance(1)
    expect(notices(scenario)).toEqual(['no hub'])
    scenario.advance(noHubRepeatMs - 1)
    expect(notices(scenario)).toHaveLength(1)
    scenario.advance(1)
    expect(notices(scenario)).toHaveLength(2)
  })

  test('not while it is signed in, and not when a lost hub is soon back', () => {
    const scenario = new Scenario()
    scenario.advance(noHubNoticeMs - 1)
    scenario.signIn()
    scenario.advance(2 * noHubRepeatMs)
    scenario.step({ type: 'link_lost' })
    scenario.advance(noHubNoticeMs - 1)
    scenario.signIn(epochB)
    scenario.advance(noHubNoticeMs)
    expect(notices(scenario)).toEqual([])
    scenario.step({ type: 'link_lost' })
    scenario.advance(noHubNoticeMs)
    expect(notices(scenario)).toEqual(['no hub'])
  })

  test('with the reason of a hub that does not take it yet, as long as that hub is there', () => {
    const scenario = new Scenario()
    scenario.step({ type: 'link_up' })
    scenario.deliver({ type: 'reject', code: 'service_conflict', message: 'It has one replica.', retryAfterMs: 9_000 })
    scenario.advance(noHubNoticeMs)
    expect(notices(scenario)).toEqual(['It has one replica. (service_conflict)'])
    scenario.step({ type: 'link_lost' })
    scenario.advance(noHubRepeatMs)
    expect(notices(scenario).at(-1)).toBe('no hub')
  })
})

describe('heartbeats', () => {
  test('go out every interval with rising serials, the load, and the time to hold', () => {
    const scenario = new Scenario({ offset: 500 })
    scenario.signIn()
    scenario.request()
    scenario.advance(1_000)
    scenario.advance(999)
    const holdUntil = scenario.now + 10_000
    scenario.now += 1
    scenario.step({ type: 'tick', holdUntil })
    const beats = scenario.sent('heartbeat')
    expect(beats.map(({ serial, load }) => [serial, load])).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
    ])
    expect(beats.map(({ sentAt }) => sentAt - beats[0]!.sentAt)).toEqual([0, 1_000, 2_000])
    expect(beats[1]?.holdUntil).toBeUndefined()
    expect(beats[2]?.holdUntil).toBe(holdUntil + 500)
  })

  test('an echo of a serial that was never sent counts for nothing', () => {
    const scenario = new Scenario({ echoes: false })
    scenario.signIn()
    for (let i = 0; i < 4; i++) {
      scenario.deliver({ type: 'heartbeat_echo', serial: 99, sentAt: scenario.now, now: scenario.now })
      scenario.advance(1_000)
    }
    expect(scenario.done('unready')).toHaveLength(1)
  })
})
