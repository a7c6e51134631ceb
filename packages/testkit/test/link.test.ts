import { encodeBatch, type Message } from '@callboard/protocol'
import { beforeEach, expect, test } from 'vitest'
import { Dealer, Link, type LinkFaults, perfectLink, Random, VirtualClock } from '../src/index.js'

let clock: VirtualClock
let link: Link
let atHub: string[]
let atWorker: string[]

beforeEach(() => {
  atHub = []
  atWorker = []
})

function connect(faults: LinkFaults = perfectLink): Dealer {
  clock = new VirtualClock(0)
  link = new Link(clock, new Random(1), faults)
  link.listen({
    peerConnected: (peer) => atHub.push(`${peer} connected`),
    peerLost: (peer) => atHub.push(`${peer} lost`),
    received: (_, messages, faulty) => atHub.push(...messages.map(name), ...faulty.map(({ code }) => code)),
    sendFailed: (peer) => atHub.push(`${peer} send failed`),
  })
  const dealer = new Dealer(link, clock, 'w', {
    linkUp: () => atWorker.push('up'),
    linkLost: () => atWorker.push('lost'),
    received: (messages) => atWorker.push(...messages.map(name)),
  })
  clock.runUntil(10)
  return dealer
}

const name = (message: Message): string => (message.type === 'cancel' ? message.id : message.type)
const cancel = (id: number): Message => ({ type: 'cancel', id: String(id), reason: 'cancelled' })

test('a connection keeps order both ways, whatever its latency', () => {
  const dealer = connect({ ...perfectLink, latencyMs: [0, 100] })
  for (let id = 0; id < 20; id++) dealer.send([cancel(id)])
  for (let id = 0; id < 20; id++) link.send('w', encodeBatch([cancel(id)]))
  clock.runUntil(1_000)
  const ids = Array.from({ length: 20 }, (_, id) => String(id))
  expect(atHub).toEqual(['w connected', ...ids])
  expect(atWorker).toEqual(['up', ...ids])
})

test('a cut loses a tail of what is under way, is told of, and is mended', () => {
  const dealer = connect({ ...perfectLink, latencyMs: [0, 100] })
  for (let id = 0; id < 20; id++) dealer.send([cancel(id)])
  link.cut('w', { hubNotice: 5, workerNotice: 7, redialMs: 500 })
  expect(dealer.send([cancel(99)])).toBe(false)
  clock.runUntil(1_000)
  const arrived = atHub.slice(1, -2)
  expect(arrived).toEqual(Array.from({ length: arrived.length }, (_, id) => String(id)))
  expect(atHub.slice(-2)).toEqual(['w lost', 'w connected'])
  expect(atWorker).toEqual(['up', 'lost', 'up'])
})

test('half open: the hub sends into nothing until the transport gives up, then a send fails', () => {
  connect()
  link.cut('w', { hubNotice: 'never', workerNotice: 'never', redialMs: 60_000 })
  clock.runUntil(1_000)
  link.send('w', encodeBatch([cancel(1)]))
  clock.runUntil(4_000)
  expect(atHub).toEqual(['w connected'])
  clock.runUntil(6_000)
  link.send('w', encodeBatch([cancel(2)]))
  clock.runUntil(7_000)
  expect(atHub).toEqual(['w connected', 'w send failed'])
  expect(atWorker).toEqual(['up'])
})

test('a second connection under a routing id takes over from a half-open one', () => {
  connect()
  link.cut('w', { hubNotice: 3_000, workerNotice: 'never', redialMs: 100 })
  clock.runUntil(10_000)
  expect(atHub).toEqual(['w connected', 'w connected'])
})

test('bytes that are no message arrive as a fault', () => {
  const dealer = connect()
  dealer.sendFrames([new Uint8Array([0xc1])])
  clock.runUntil(100)
  expect(atHub).toEqual(['w connected', 'head_malformed'])
})
