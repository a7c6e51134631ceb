import { setImmediate as nextTurn } from 'node:timers/promises'
import { batchMessagesMax, type Message, type Request } from '@callboard/protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { DefinedWorker } from '../src/define-worker.js'
import type { HubLink, HubLinkListener } from '../src/hub-link.js'
import type { Context } from '../src/index.js'
import { encodeJson } from '../src/json-body.js'
import { SteadyClock } from '../src/steady-clock.js'

const epoch = 'hubepoch0a'

/** A hub whose batches the test makes by hand. */
class BatchHub implements HubLink {
  readonly endpoint = 'inproc://test'
  readonly answered: string[] = []
  listener: HubLinkListener | undefined

  open(listener: HubLinkListener): void {
    this.listener = listener
    listener.linkUp()
  }

  send(message: Message): void {
    if (message.type === 'response') this.answered.push(message.id)
    if (message.type === 'hello') {
      queueMicrotask(() =>
        this.listener?.received([{ type: 'challenge', version: 1, nonce: new Uint8Array(32), epoch }]),
      )
    }
    if (message.type !== 'ready') return
    const body = encodeJson({ refused: [] })
    queueMicrotask(() => this.listener?.received([{ type: 'welcome', epoch, now: Date.now(), trusted: true, body }]))
  }

  async close(): Promise<void> {}
}

async function serving(act: (n: number, context: Context) => unknown) {
  const hub = new BatchHub()
  const worker = new DefinedWorker({ service: 'actor', version: '1.0.0', concurrency: 500 })
  worker.tool('act', { description: 'Acts', input: z.object({ n: z.number() }) }, ({ n }, context) => act(n, context))
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const live = worker.connect({ link: hub, routingId: 'a/1', instance: 'i', clock: new SteadyClock(), log })
  await live.ready
  return { hub, live }
}

const request = (n: number): Request => ({
  type: 'request',
  id: `${epoch}-${n}`,
  method: 'tools/call',
  name: 'act',
  deadline: Date.now() + 60_000,
  idempotencyKey: `${n}`,
  caller: { session: 's', principal: 'agent:main', roles: ['agent'], depth: 0 },
  client: { generation: 'modern', input: [], progress: true },
  body: encodeJson({ name: 'act', arguments: { n } }),
})

/** After the code that runs now and its promises; before anything else of the event loop. */
const afterTick = () => new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)))

test('handlers start when all that came with their requests was heard, a CANCEL among it', async () => {
  const seen: string[] = []
  const { hub, live } = await serving((n, { signal }) => void seen.push(`${n} ${signal.aborted}`))
  hub.listener?.received([request(1), request(2), { type: 'cancel', id: `${epoch}-1`, reason: 'cancelled' }])
  expect(seen).toEqual(['1 true', '2 false'])
  live.stopNow()
})

test('a call that nothing runs beside is answered in the same turn of the event loop', async () => {
  const { hub, live } = await serving(async (n) => n)
  let turned = false
  void nextTurn().then(() => {
    turned = true
  })
  hub.listener?.received([request(1)])
  await afterTick()
  expect({ answered: hub.answered, turned }).toEqual({ answered: [`${epoch}-1`], turned: false })
  live.stopNow()
})

test('beside others that run, the answer waits for what else ends in its turn, or for a full batch', async () => {
  const { hub, live } = await serving((n) => (n === 0 ? new Promise(() => {}) : n))
  hub.listener?.received([request(0), request(1)])
  await afterTick()
  expect(hub.answered).toEqual([])
  await nextTurn()
  expect(hub.answered).toEqual([`${epoch}-1`])
  const full = Array.from({ length: batchMessagesMax }, (_, index) => request(index + 2))
  hub.listener?.received(full)
  await afterTick()
  expect(hub.answered).toHaveLength(1 + batchMessagesMax)
  live.stopNow()
})

test('what a handler calls, tells or stops while it starts is heard at once', async () => {
  const states: string[] = []
  const { hub, live } = await serving(() => {
    live.drain()
    states.push(live.state)
  })
  hub.listener?.received([request(1)])
  expect(states).toEqual(['draining'])
  live.stopNow()
})
