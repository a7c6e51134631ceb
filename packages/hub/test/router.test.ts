import type { FromHub, Progress } from '@callboard/protocol'
import { batchMessagesMax, bodyBytesMax, decodeMessages, encodeBatch } from '@callboard/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Dealer } from 'zeromq'
import { batches, WorkerRouter } from '../src/router.js'
import { temporaryDirectory } from './temporary.js'

const silent = {
  peerConnected: () => undefined,
  peerLost: () => undefined,
  message: () => undefined,
  faults: () => undefined,
  sendFailed: () => undefined,
}

describe('binding without keys [CB-1]', () => {
  it.each([
    'tcp://0.0.0.0:5000',
    'tcp://*:5000',
    'tcp://192.168.1.2:5000',
    'tcp://example.org:5000',
    'tcp://[::]:1',
    'inproc://x',
  ])('is refused at %s', async (endpoint) => {
    await using router = new WorkerRouter(silent)
    await expect(router.bind(endpoint)).rejects.toThrow('ipc:// or loopback only')
  })

  it('is fine on loopback', async () => {
    await using router = new WorkerRouter(silent)
    await router.bind('tcp://127.0.0.1:*')
  })
})

describe('a worker whose messages cost much', () => {
  it('does not keep the event loop from its turn until the last of them', async () => {
    const endpoint = `ipc://${await temporaryDirectory()}/workers.sock`
    const count = 100
    let [handled, turns, longest, inTurn] = [0, 0, 0, 0]
    let done = () => {}
    const finished = new Promise<void>((resolve) => {
      done = resolve
    })
    const message = () => {
      const until = performance.now() + 10
      while (performance.now() < until);
      longest = Math.max(longest, ++inTurn)
      if (++handled === count) done()
    }
    const counting = setInterval(() => {
      turns++
      inTurn = 0
    }, 1)
    onTestFinished(() => clearInterval(counting))
    await using router = new WorkerRouter({ ...silent, message })
    await router.bind(endpoint)
    const worker = new Dealer({ linger: 0 })
    onTestFinished(() => worker.close())
    worker.connect(endpoint)
    const [frame] = encodeBatch([{ type: 'hello', versions: [1, 1] }])
    for (let sent = 0; sent < count; sent++) await worker.send([frame!])
    await finished
    expect(turns).toBeGreaterThan(0)
    expect(longest).toBeLessThanOrEqual(4)
  })
})

describe('batches', () => {
  const progress = (bytes: number): Progress => ({ type: 'progress', id: 'a', body: new Uint8Array(bytes) })
  const sizes = (messages: readonly FromHub[]) => [...batches(messages)].map((batch) => batch.length)

  it('hold at most so many messages, in order', () => {
    const messages = Array.from({ length: batchMessagesMax + 1 }, () => progress(1))
    expect(sizes(messages)).toEqual([batchMessagesMax, 1])
    expect([...batches(messages)].flat()).toEqual(messages)
  })

  it('hold heads that the receiver takes, however long the names in them are', () => {
    const messages: FromHub[] = Array.from({ length: 100 }, () => ({
      type: 'subscribe',
      uri: `x:${'語'.repeat(4_000)}`,
      session: 's',
    }))
    for (const batch of batches(messages)) expect(decodeMessages(encodeBatch(batch)).faults).toEqual([])
    expect([...batches(messages)].flat()).toHaveLength(100)
  })

  it('hold at most a frame of bodies', () => {
    expect(sizes([progress(bodyBytesMax), progress(1), progress(bodyBytesMax - 1), progress(1)])).toEqual([1, 2, 1])
  })
})
