import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { RawWorker } from '../../raw-worker.js'
import { BesiegedHub } from './besieged-hub.js'

/** What opens a connection of ZMTP 3.1. */
function greeting(mechanism: string): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.write('\xff\0\0\0\0\0\0\0\x01\x7f\x03\x01', 'latin1')
  bytes.write(mechanism, 12, 'latin1')
  return bytes
}

/** A frame whose header promises 4 EiB. */
const giant = (flags: number): Buffer => {
  const bytes = Buffer.alloc(9)
  bytes[0] = flags
  bytes.writeBigUInt64BE(2n ** 62n, 1)
  return bytes
}

const command = (name: string, length: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x04, 1 + name.length + length, name.length]),
    Buffer.from(name),
    Buffer.alloc(length, 7),
  ])

describe('whoever has not got through the handshake', () => {
  it.each([
    ['no ZMTP at all', Buffer.from('GET / HTTP/1.1\r\nHost: hub\r\n\r\n'), undefined],
    ['random bytes', Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 97 + 13) % 251)), undefined],
    ['half a greeting', greeting('CURVE').subarray(0, 11), 'too_slow'],
    ['the mechanism NULL', greeting('NULL'), 'wrong_mechanism'],
    ['the mechanism PLAIN', greeting('PLAIN'), 'wrong_mechanism'],
    ['an unknown mechanism', greeting('\xff\xfe'), 'wrong_mechanism'],
    ['CURVE and then nothing', greeting('CURVE'), 'too_slow'],
    ['CURVE and a command that is none of it', Buffer.concat([greeting('CURVE'), command('READY', 100)]), undefined],
    ['CURVE and a HELLO of zeros', Buffer.concat([greeting('CURVE'), command('HELLO', 194)]), undefined],
    ['CURVE and a HELLO that is too short', Buffer.concat([greeting('CURVE'), command('HELLO', 3)]), undefined],
    ['a frame of 4 EiB as a command', Buffer.concat([greeting('CURVE'), giant(0x06), Buffer.alloc(64)]), undefined],
    ['a frame of 4 EiB as a message', Buffer.concat([greeting('CURVE'), giant(0x02), Buffer.alloc(64)]), undefined],
  ])(
    'is dropped and counted, and others are served: %s',
    async (_, bytes, reason) => {
      const scene = await BesiegedHub.start()
      const socket = await scene.raw()
      // Not by `once`, which fails where the connection is reset.
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(bytes)
      await scene.servesOthers()
      await closed
      await expect.poll(() => cameToNothing(scene), { timeout: 8_000 }).toBe(1)
      if (reason !== undefined) {
        await scene.counted(`handshakes_refused.${reason}`)
        expect(scene.lines).toContainEqual(expect.objectContaining({ message: refusedBefore, reason }))
      }
      await scene.servesOthers()
      expect(scene.services()).toEqual(['canary'])
    },
    15_000,
  )

  it('a byte a time does not get it more time', async () => {
    const scene = await BesiegedHub.start()
    const socket = await scene.raw()
    let isOpen = true
    socket.once('close', () => {
      isOpen = false
    })
    const bytes = greeting('CURVE')
    let sent = 0
    while (isOpen && sent < bytes.length) {
      socket.write(bytes.subarray(sent, ++sent))
      await delay(200)
    }
    expect(sent).toBeLessThan(bytes.length)
    await scene.counted('handshakes_refused.too_slow')
    await scene.servesOthers()
  }, 20_000)

  it('a client without CURVE', async () => {
    const scene = await BesiegedHub.start()
    const stranger = new RawWorker(scene.endpoint)
    await scene.counted('handshakes_refused.broken_off')
    await scene.servesOthers()
    expect(stranger.received).toEqual([])
  })

  it('keys that nobody has authorized, each new: one line tells of them, and nothing is kept of each', async () => {
    const scene = await BesiegedHub.start()
    for (let count = 0; count < 50; count++) scene.peer('stranger', curveKeyPair())
    await scene.counted('handshakes_refused.unknown_key', 50)
    await scene.servesOthers()
    expect(scene.lines.filter(({ reason }) => reason === 'unknown_key')).toHaveLength(1)
    expect(scene.services()).toEqual(['canary'])
  }, 15_000)

  it('a key that has expired', async () => {
    const scene = await BesiegedHub.start()
    scene.peer('late', await scene.newKey('late', 'expires=2020-01-01'))
    await scene.counted('handshakes_refused.expired_key')
    await scene.servesOthers()
  })

  it('a key that was revoked, which cuts its worker off and lets it in no more', async () => {
    const scene = await BesiegedHub.start()
    const pair = await scene.newKey('former')
    const worker = await scene.signedIn('former', pair)
    await scene.revoke(pair)
    expect(await worker.next('reject')).toMatchObject({ code: 'key_refused' })
    await worker.hello().catch(() => undefined)
    scene.peer('former', pair)
    await scene.counted('handshakes_refused.unknown_key')
    expect(scene.services()).toEqual(['canary'])
    await scene.servesOthers()
  }, 15_000)
})

const refusedBefore = 'a connection was refused before sign-in'

/** Of those that have ended. The canary's are through, and there. */
function cameToNothing(scene: BesiegedHub): number {
  const [ended, accepted, handshaken] = ['ended', 'accepted', 'handshaken'].map((stage) =>
    scene.count(`worker_connections.${stage}`),
  )
  return Math.min(ended!, accepted! - handshaken!)
}
