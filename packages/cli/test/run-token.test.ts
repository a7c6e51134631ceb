import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Installation } from './support/installation.js'

const minter = fileURLToPath(new URL('run-token-worker.mjs', import.meta.url))

it('a run keeps its tools, its identity and its session over a restart of the hub [CB-67]', async () => {
  const installation = new Installation()
  const first = await installation.hub()
  const { environment, directory } = installation
  const worker = fork(minter, { env: environment, cwd: directory, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const nextToken = async (): Promise<string> => {
    for (;;) {
      const [message] = (await once(worker, 'message')) as [{ readonly token?: string }]
      if (message.token !== undefined) return message.token
    }
  }
  const token = await nextToken()

  const shim = installation.spawn(['stdio'], { CALLBOARD_TOKEN: token })
  const lines = createInterface(shim.stdout)[Symbol.asyncIterator]()
  let id = 0
  const ask = async (method: string, params: object) => {
    shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`)
    for (;;) {
      const message = JSON.parse((await lines.next()).value)
      if (message.id === id) return message
    }
  }
  const whoami = async () => (await ask('tools/call', { name: 'whoami', arguments: {} })).result?.structuredContent
  const clientInfo = { name: 'test', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  shim.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  const before = await whoami()
  expect(before).toMatchObject({
    principal: 'agent:runner',
    group: 'lab',
    run: { id: 'run-1', attempt: 1, triggerDepth: 2 },
  })

  const ended = once(first, 'exit')
  first.kill('SIGKILL')
  await ended
  // It stands still until the hub is up, so that the shim may come first, with a token that is unknown there.
  worker.kill('SIGSTOP')
  await installation.hub()
  const after = whoami()
  const back = nextToken()
  worker.kill('SIGCONT')
  expect(await back).toBe(token)
  expect(await after).toEqual(before)
})
