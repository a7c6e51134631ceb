import { expect, it, vi } from 'vitest'
import { BegunCall } from '../../src/http/begun-call.js'
import { wishOf } from '../../src/mcp/direct-request.js'
import type { CallOutcome } from '../../src/port.js'
import { FakeHub, identity, json } from '../mcp/fake-hub.js'

const client = { generation: 'legacy', input: ['form'], progress: false } as const
const wish = wishOf({ method: 'tools/call', name: 't', body: Buffer.from('{"name":"t"}'), meta: {} }, client)
const question: CallOutcome = { kind: 'input_required', id: 'c', body: json({ inputRequests: {} }) }

function begin() {
  const hub = new FakeHub()
  const finish = hub.held('t')
  const connection = hub.open(identity, { listChanged: () => {}, resourceUpdated: () => {}, ended: () => {} })
  return { hub, finish, begun: new BegunCall(connection, wish) }
}

it('a question of a call whose client has left is given up', async () => {
  const { hub, finish, begun } = begin()
  begun.leave()
  finish(question)
  await vi.waitFor(() => expect(hub.abandoned).toEqual(['c']))
})

it('a question that nobody has adopted is given up with its call', async () => {
  const { hub, finish, begun } = begin()
  const first = begun.first()
  finish(question)
  expect(await first).toEqual(question)
  expect(hub.abandoned).toEqual([])
  begun.cancelAlone()
  expect(hub.abandoned).toEqual(['c'])
})

it('a question that was adopted is not', async () => {
  const { hub, finish, begun } = begin()
  const first = begun.first()
  finish(question)
  await first
  expect(await begun.adopt({})).toEqual(question)
  begun.cancelAlone()
  begun.leave()
  expect(hub.abandoned).toEqual([])
})
