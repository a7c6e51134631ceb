import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Installation, untilSaid } from '../support/installation.js'

const remedy = /set CALLBOARD_SIGN_IN_SECRET_FILE to <data>\/sign-in\.secret of the hub\.\n$/

async function hubIn(installation: Installation): Promise<void> {
  const hub = installation.spawn(['hub'])
  await untilSaid(hub, hub.stderr, /hub is up/)
}

it('started by hand it proves itself by the secret in the data directory', async () => {
  const installation = new Installation()
  await hubIn(installation)
  const worker = installation.spawn(['worker', 'kernel'])
  await untilSaid(worker, worker.stderr, /"trusted":true.*signed in/)
})

it('without a secret it says where one is, and nothing else', async () => {
  const installation = new Installation()
  await hubIn(installation)
  const data = join(installation.directory, 'other')
  const { code, stdout, stderr } = await installation.run(['worker', 'kernel'], { CALLBOARD_DATA: data })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(
    /^callboard: The worker kernel needs its hub's sign-in secret, .*\(ENOENT\): start the hub first/,
  )
  expect(stderr).toMatch(remedy)
  expect(stderr.trimEnd()).not.toContain('\n')
})

it('for a hub on another machine it says which keys are missing', async () => {
  const installation = new Installation()
  const { code, stderr } = await installation.run(['worker', 'forum'], { CALLBOARD_HUB: 'tcp://192.0.2.1:8766' })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/is on another machine, which takes keys: set CALLBOARD_KEY_FILE/),
  ])
  expect(stderr).not.toContain('secret')
})

it('with another secret it is refused, and says where the right one is', async () => {
  const installation = new Installation()
  await hubIn(installation)
  const secret = { CALLBOARD_SIGN_IN_SECRET: 'x'.repeat(43) }
  const { code, stderr } = await installation.run(['worker', 'kernel'], secret)
  expect(code).toBe(2)
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
    /^callboard: The hub refused the worker "kernel": .*\(bad_proof\): /,
  )
  expect(stderr).toMatch(remedy)
})
