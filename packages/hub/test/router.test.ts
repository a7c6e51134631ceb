import { encodeBatch } from '@callboard/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Dealer } from 'zeromq'
import { WorkerRouter } from '../src/router.js'
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
