import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedSecret } from '@callboard/protocol'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { curveKeyPair } from 'zeromq'
import { AuthorizedWorkers } from '../../src/keys/authorized-workers.js'
import { localUsersMax } from '../../src/keys/limits.js'
import { localUsers } from '../../src/keys/local-users.js'
import { workerEndpoints } from '../../src/keys/worker-endpoints.js'
import { WorkerKeys } from '../../src/keys/worker-keys.js'
import { temporaryDirectory } from '../temporary.js'

const hub = curveKeyPair()
const worker = curveKeyPair()
const stranger = curveKeyPair()
let file: string
let admitted: AuthorizedWorkers
let keys: WorkerKeys
const clock = { now: 0 }

const put = (...lines: string[]) => writeFile(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })

beforeEach(async () => {
  file = join(await temporaryDirectory(), 'authorized-workers')
  clock.now = 0
  await put(`lab ${worker.publicKey} expires=1970-01-01T00:00:10Z`)
  admitted = new AuthorizedWorkers(file, () => clock.now)
  keys = new WorkerKeys(hub, admitted)
  onTestFinished(() => keys.close())
})

it('a key that is admitted has a secret with the hub, which its worker has, too', () => {
  expect(keys.find(worker.publicKey)?.name).toBe('lab')
  expect(keys.sharedSecret(worker.publicKey)).toEqual(sharedSecret(worker.secretKey, hub.publicKey))
  expect(keys.sharedSecret(worker.publicKey)).toBe(keys.sharedSecret(worker.publicKey))
  expect(keys.refusal(worker.publicKey)).toBeUndefined()
})

it('of any other the hub reckons nothing, and says why it does not come in', () => {
  expect(keys.sharedSecret(stranger.publicKey)).toBeUndefined()
  expect(keys.refusal(stranger.publicKey)).toBe('unknown_key')
  expect(keys.refusal('#'.repeat(40))).toBe('malformed_key')
  clock.now = 10_000
  expect(keys.refusal(worker.publicKey)).toBe('expired_key')
  expect([keys.sharedSecret(worker.publicKey), keys.standing(worker.publicKey)]).toEqual([undefined, undefined])
})

it('whoever watches hears of a change and of a problem', async () => {
  const heard: string[] = []
  keys.watch(
    () => heard.push('changed'),
    (problem) => heard.push(problem),
  )
  const before = keys.sharedSecret(worker.publicKey)
  await put(`lab ${worker.publicKey} trusted`, `more ${stranger.publicKey}`)
  admitted.look()
  expect([heard, keys.sharedSecret(worker.publicKey)]).toEqual([['changed'], before])
  expect(keys.sharedSecret(stranger.publicKey)).toEqual(sharedSecret(stranger.secretKey, hub.publicKey))
  await put('x')
  admitted.look()
  expect(heard[1]).toContain('Line 1: "" is no key')
  expect(keys.standing(worker.publicKey)?.trusted).toBe(true)
})

it.each([
  [undefined, []],
  ['', []],
  [' tcp://0.0.0.0:8766 , tcp://[::1]:1,, tcp://*:* ', ['tcp://0.0.0.0:8766', 'tcp://[::1]:1', 'tcp://*:*']],
  ['tcp://10.0.0.1:65535,tcp://10.0.0.1:65535', ['tcp://10.0.0.1:65535']],
])('endpoints for other machines: %s', (text, endpoints) => {
  const problems: string[] = []
  expect([workerEndpoints(text, problems), problems]).toEqual([endpoints, []])
})

it.each([
  ...['ipc:///x', 'tcp://hub:1', 'tcp://0.0.0.0', 'tcp://0.0.0.0:0', 'tcp://0.0.0.0:65536', 'tcp://256.0.0.1:1'],
  ...['tcp://[::g]:1', 'tcp://[10.0.0.1]:1', 'tcp://::1:1', 'tcp://*:1x', 'x'.repeat(200)],
])('is no endpoint: %s', (wrong) => {
  const problems: string[] = []
  expect(workerEndpoints(`tcp://0.0.0.0:1,${wrong}`, problems)).toEqual([])
  expect(problems).toEqual([expect.stringContaining(`${JSON.stringify(wrong.slice(0, 100))} is no endpoint`)])
})

it('there are 8 endpoints at most', () => {
  const list = (count: number) => Array.from({ length: count }, (_, index) => `tcp://0.0.0.0:${index + 1}`).join(',')
  const problems: string[] = []
  expect(workerEndpoints(list(8), problems)).toHaveLength(8)
  expect(problems).toEqual([])
  workerEndpoints(list(9), problems)
  expect(problems).toEqual([expect.stringContaining('has 9 endpoints: 8 at most')])
})

it('users of this machine are numbers, each once, and not many', () => {
  const problems: string[] = []
  expect(localUsers(undefined, problems)).toEqual([])
  expect(localUsers(' 1001 ,1002,,1001', problems)).toEqual([1001, 1002])
  const list = (count: number) => Array.from({ length: count }, (_, index) => index).join(',')
  expect(localUsers(list(localUsersMax), problems)).toHaveLength(localUsersMax)
  expect(problems).toEqual([])
  localUsers(list(localUsersMax + 1), problems)
  expect(problems.pop()).toContain(`has ${localUsersMax + 1} users: ${localUsersMax} at most`)
  for (const wrong of ['ada', '-1', '1.5', '12345678901', 'x'.repeat(200)]) {
    expect(localUsers(`1001,${wrong}`, problems)).toEqual([])
    expect(problems.pop()).toContain(`${JSON.stringify(wrong.slice(0, 100))} is no user id`)
  }
  expect(problems).toEqual([])
})
