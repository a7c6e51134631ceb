import { describe, expect, test } from 'vitest'
import * as protocol from '../src/index.js'
import * as limits from '../src/limits.js'
import { sample } from './support/samples.js'
import { limitRows } from './support/spec.js'

describe('limits', () => {
  test('[CB-4] are those of SPEC.md, all of them', () => {
    expect(Object.fromEntries(limitRows())).toEqual({ ...limits })
  })

  test('[CB-4] let a frame hold what a correct peer sends', () => {
    expect(limits.bodyBytesMax).toBeLessThanOrEqual(limits.frameBytesMax)
    expect(limits.headBytesMax).toBeLessThanOrEqual(limits.frameBytesMax)
  })

  test('[CB-4] the largest head of a REQUEST fits many times over', () => {
    expect(headBytes(largestRequest()) * 8).toBeLessThan(limits.headBytesMax)
  })

  test('[CB-9] a full batch of ordinary heads fits', () => {
    expect(headBytes(sample('request')) * limits.batchMessagesMax).toBeLessThan(limits.headBytesMax)
  })

  test('[CB-18] READY can name as many calls as the limit allows', () => {
    const id = `${'e'.repeat(32)}-${Number.MAX_SAFE_INTEGER}`
    const ready = { ...(sample('ready') as protocol.Ready), held: Array.from({ length: limits.heldMax }, () => id) }
    expect(headBytes(ready)).toBeLessThan(limits.headBytesMax)
    expect(protocol.decodeMessages(protocol.encodeMessage(ready)).faults).toEqual([])
    expect(limits.heldMax).toBeGreaterThanOrEqual(limits.concurrencyMax)
  })

  test('[CB-31] an id can hold the longest epoch and the greatest serial', () => {
    expect(32 + 1 + String(Number.MAX_SAFE_INTEGER).length).toBeLessThanOrEqual(limits.idLengthMax)
    expect(limits.idLengthMax).toBeLessThanOrEqual(limits.keyLengthMax)
  })

  test('[CB-5] the depth leaves room above the deepest head, in a batch too', () => {
    expect(limits.headDepthMax).toBeGreaterThanOrEqual(1 + 3 + 2)
  })

  test('[CB-68] a load can name every call that the credits allow', () => {
    const most = limits.concurrencyMax * (limits.depthMax + 1)
    const heartbeat = { ...(sample('heartbeat') as protocol.Heartbeat), load: most }
    expect(protocol.decodeMessages(protocol.encodeMessage(heartbeat)).faults).toEqual([])
  })

  test('durations are in order', () => {
    expect(limits.heartbeatMsMin).toBeLessThan(limits.heartbeatMsDefault)
    expect(limits.heartbeatMsDefault).toBeLessThan(limits.heartbeatMsMax)
    expect(limits.deadlineMsDefault).toBeLessThan(limits.deadlineMsMax)
    expect(limits.inputWaitMsMax).toBeLessThanOrEqual(limits.deadlineMsMax)
    expect(limits.drainMsDefault).toBeLessThanOrEqual(limits.drainMsMax)
    expect(limits.timeMax).toBe(Date.UTC(9999, 11, 31, 23, 59, 59, 999))
  })
})

describe('liveness', () => {
  test('[CB-70] suspicion comes before doubt, and both after a single late beat', () => {
    expect(protocol.gapBeats).toBe(1)
    expect(protocol.suspectAfterBeats).toBe(2)
    expect(protocol.doubtAfterBeats).toBe(3)
    expect(protocol.suspectAfterMs(1_000)).toBe(2_000)
    expect(protocol.doubtAfterMs(1_000)).toBe(3_000)
  })

  test('[CB-3] ZMTP finds a lost host within three beats, and its peer later', () => {
    expect(protocol.zmtpHeartbeatIntervalMs).toBe(1_000)
    expect(protocol.zmtpHeartbeatTimeoutMs).toBe(3_000)
    expect(protocol.zmtpHeartbeatTtlMs).toBe(5_000)
  })
})

const headBytes = (message: protocol.Message): number => protocol.encodeMessage(message)[0]!.byteLength

/** Every text at its limit, in characters of three bytes each: the worst that UTF-16 units can come to in UTF-8. */
function largestRequest(): protocol.Request {
  const wide = (length: number) => '界'.repeat(length)
  const id = 'i'.repeat(limits.idLengthMax)
  const identity = wide(limits.identityLengthMax)
  const run = { id, attempt: 1_000_000, triggerDepth: 1_000 }
  return {
    ...(sample('request') as protocol.Request),
    id,
    name: wide(limits.uriLengthMax),
    idempotencyKey: wide(limits.keyLengthMax),
    caller: {
      session: identity,
      principal: identity,
      roles: ['agent', 'operator'],
      group: identity,
      depth: 8,
      run,
      onBehalfOf: identity,
    },
    client: {
      generation: 'legacy',
      input: ['form', 'url', 'sampling', 'roots'],
      logLevel: 'emergency',
      progress: true,
    },
    traceparent: 't'.repeat(128),
    tracestate: wide(512),
  }
}
