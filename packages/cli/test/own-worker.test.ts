import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { freePort, Installation, untilSaid } from './support/installation.js'

const greeter = fileURLToPath(new URL('../../../examples/greeter/worker.js', import.meta.url))

/** `node worker.js` in a terminal of its own. */
function startWorker({ environment, directory }: Installation) {
  const worker = spawn(process.execPath, [greeter], { env: environment, cwd: directory, stdio: 'pipe' })
  worker.stdout.resume()
  return worker
}

describe('a worker that the user started himself', () => {
  it.each([
    ['callboard down', (installation: Installation) => installation.run(['down'])],
    ['Ctrl-C at the hub', (_: Installation, hub: { kill(signal: 'SIGINT'): void }) => hub.kill('SIGINT')],
  ])('outlives %s and serves at the next hub [CB-78]', async (_, end) => {
    const installation = new Installation()
    const first = await installation.hub()
    const worker = startWorker(installation)
    await untilSaid(worker, worker.stderr, /signed in/)
    const firstEnded = once(first, 'exit')
    const lost = untilSaid(worker, worker.stderr, /lost the hub/)
    await end(installation, first)
    await Promise.all([firstEnded, lost])
    const back = untilSaid(worker, worker.stderr, /signed in/)
    await installation.hub()
    await back
    expect((await installation.run(['call', 'greet', 'name=Ada'])).stdout).toContain('Hello Ada')
    expect(worker.exitCode).toBe(null)
  })

  it('ends when an operator drains it', async () => {
    const installation = new Installation()
    await installation.hub()
    const worker = startWorker(installation)
    await untilSaid(worker, worker.stderr, /signed in/)
    const ended = once(worker, 'exit')
    await installation.run(['drain', 'greeter'])
    expect(await ended).toEqual([0, null])
  })

  it('says that it finds no hub, and where it looks', async () => {
    const installation = new Installation()
    const worker = startWorker(installation)
    expect(await untilSaid(worker, worker.stderr, /no hub found/)).toContain(
      `ipc://${installation.runtime}/worker.sock`,
    )
    const ended = once(worker, 'exit')
    worker.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('asks of a hub over the network what such a one needs', async () => {
    const installation = new Installation({ CALLBOARD_HUB: `tcp://127.0.0.1:${await freePort()}` })
    const worker = startWorker(installation)
    expect(await untilSaid(worker, worker.stderr, /no hub found/)).toContain('run with CALLBOARD_LISTEN')
  })
})
