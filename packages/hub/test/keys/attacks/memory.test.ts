import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { keyProof, sharedSecret } from '@callboard/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { readPublicKey } from '../../../src/keys/key-files.js'
import { body, head, RawWorker } from '../../raw-worker.js'
import { SocketAgent } from '../../socket-agent.js'
import { temporaryDirectory } from '../../temporary.js'

const program = fileURLToPath(new URL('../../processes/keyed-hub.mjs', import.meta.url))
const mebibyte = 1024 * 1024
/** Twice what the hub may keep of it. */
const floodMiB = 256
const keptMiBMax = 128

/** A hub in a process of its own, with a worker and an agent, and a thief who is in by a key of its own. */
async function besieged() {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  const pair = curveKeyPair()
  await writeFile(join(data, 'authorized-workers'), `thief ${pair.publicKey}\n`, { mode: 0o600 })
  const child = spawn(process.execPath, [program, runtime, data], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: { readonly msg: string; readonly listen?: readonly string[] }[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  while (!lines.some(({ msg }) => msg === 'hub is up')) await once(reader, 'line')
  const hubKey = await readPublicKey(join(data, 'hub.key'))
  ;(await new RawWorker(`ipc://${runtime}/worker.sock`, 'canary').signIn()).answerAll()
  const agent = await SocketAgent.attach(join(runtime, 'mcp.sock'))
  const endpoint = lines.find(({ msg }) => msg === 'hub is up')!.listen![0]!
  const keys = { curveServerKey: hubKey, curvePublicKey: pair.publicKey, curveSecretKey: pair.secretKey }
  // It waits for the hub to take each: nothing of the flood is lost before it.
  const thief = new RawWorker(endpoint, 'thief', { socket: { ...keys, sendTimeout: -1, sendHighWaterMark: 4 } })
  await thief.hello()
  const { nonce, epoch, routingId, service, instance } = thief
  const shared = sharedSecret(pair.secretKey, hubKey)!
  const proof = Buffer.from(keyProof(shared, { nonce, epoch, routingId, service, instance }))
  await thief.ready({ key: pair.publicKey, proof })
  await thief.next('welcome')
  const serves = async () => expect(await agent.call('canary')).toBe('canary')
  await serves()
  return { child, thief, serves }
}

const residentMiB = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const large = Buffer.alloc(mebibyte, 'x')
const text = Buffer.concat([Buffer.from('"'), large.subarray(2), Buffer.from('"')])
const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padStart(100, 'n'))

const floods: readonly [string, (thief: RawWorker, index: number) => readonly Buffer[]][] = [
  ['frames that nobody can read', () => [Buffer.from([0xc1, 1, 2, 3]), large]],
  [
    'answers to calls that it does not have',
    ({ epoch }, id) => [head({ type: 'response', id: `${epoch}-${id}`, outcome: 'result' }), text],
  ],
  [
    'another list of its tools, each time',
    ({ epoch }, index) => [
      head({ type: 'update', epoch }),
      body({ tools: [{ name: `tool${index}`, description: 'x'.repeat(mebibyte), inputSchema: { type: 'object' } }] }),
    ],
  ],
  [
    'what sessions see that nobody has',
    ({ epoch }, index) => [
      head({ type: 'update', epoch, session: `session-${index}` }),
      body({ hiddenTools: names(10_000) }),
    ],
  ],
  [
    'calls of tools that are not there',
    ({ epoch }, id) => [
      head({ type: 'call', epoch, id: `own-${id}`, method: 'tools/call', name: `none-${id}`, progress: false }),
      text,
    ],
  ],
]

it.each(floods)(
  'of many large messages of a worker by key little is kept: %s',
  async (_, messages) => {
    const { child, thief, serves } = await besieged()
    const before = residentMiB(child)
    for (let index = 0; index < floodMiB; index++) await thief.send(...messages(thief, index))
    await serves()
    await expect.poll(() => residentMiB(child) - before, { timeout: 30_000, interval: 200 }).toBeLessThan(keptMiBMax)
    await serves()
  },
  60_000,
)
