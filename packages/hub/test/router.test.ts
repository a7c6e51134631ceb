import type { FromHub, Progress } from '@callboard/protocol'
import { batchMessagesMax, bodyBytesMax, decodeMessages, encodeBatch } from '@callboard/protocol'
import { describe, expect, it } from 'vitest'
import { batches, WorkerRouter } from '../src/router.js'

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
