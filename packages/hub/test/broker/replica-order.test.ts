import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Peers, returnCredit, takeCredit, type WorkerPeer, workerPeer } from '../../src/broker/peers.js'

const ready = {
  type: 'ready',
  epoch: 'hubepoch01',
  service: 'any',
  version: '1.0.0',
  workerEpoch: 1,
  concurrency: 4_096,
  heartbeatMs: 1_000,
  replicas: 'many',
  affinity: 'none',
  held: [],
  body: new Uint8Array(0),
} as const

const index = fc.nat({ max: 11 })
const act = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const), index, isUse: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('return' as const), index }) },
  fc.record({ do: fc.constant('leave' as const), index }),
  fc.record({ do: fc.constant('join' as const), index }),
)

/** Least outstanding, then least recently used, then the first to come. */
function firstOf(workers: readonly WorkerPeer[]): WorkerPeer | undefined {
  const byTurn = (one: WorkerPeer, other: WorkerPeer) => one.held.size - other.held.size || one.usedAt - other.usedAt
  return workers.toSorted(byTurn)[0]
}

it('knows whose turn it is, as a search through all would', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
      const peers = new Peers()
      let uses = 0
      for (const [serial, each] of acts.entries()) {
        const peer = `peer ${each.index}`
        const worker = peers.worker(peer)
        if (each.do === 'join') {
          if (worker === undefined)
            peers.add(workerPeer(peer, { ...ready, instance: peer }, { trusted: false, signedInBy: undefined }, 0))
        } else if (worker !== undefined) {
          if (each.do === 'take' && each.isUse) worker.usedAt = ++uses
          if (each.do === 'take') takeCredit(worker, `call ${serial}`, 0)
          if (each.do === 'return') returnCredit(worker, worker.held.keys().next().value ?? '')
          if (each.do === 'leave') peers.remove(peer)
        }
        expect(peers.firstOf('any')?.peer).toBe(firstOf([...peers.of('any').values()])?.peer)
      }
    }),
    { seed: 1, numRuns: 500 },
  )
})
