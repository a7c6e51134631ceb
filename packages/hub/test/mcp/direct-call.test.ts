import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeOnce } from '../../src/mcp/described-agent.js'
import { DirectCall } from '../../src/mcp/direct-call.js'
import { SuspendedCalls } from '../../src/mcp/suspended-calls.js'
import { FakeHub, identity, json, silent } from './fake-hub.js'

const request = {
  method: 'tools/call',
  name: 't',
  body: Buffer.from('{"name":"t"}'),
  progressToken: 1,
  meta: {},
} as const
const question = { ask: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } } }

it('a call that is cancelled while its question waits for what was told before is given up', async () => {
  const hub = new FakeHub()
  const connection = hub.open(identity, { listChanged: () => {}, resourceUpdated: () => {}, ended: () => {} })
  const said: string[] = []
  const say = (what: string) => () => void said.push(what)
  const wire = { pass: say('pass'), answer: say('answer'), refuse: say('refuse'), notify: say('notify') }
  const context = { connection, server: {} as never, log: silent, suspended: new SuspendedCalls() }
  const call = new DirectCall(request, describeOnce('legacy', { elicitation: {} }, 'info'), context, wire)
  call.onProgress(json({ progress: 1 }))
  call.settled({ kind: 'input_required', id: 'c', body: json({ inputRequests: question }) })
  call.cancel()
  await nextTurn()
  expect(hub.abandoned).toEqual(['c'])
  expect(said).toEqual(['notify'])
})
