import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { Installation, untilSaid } from '../support/installation.js'

const workersOf = async (installation: Installation, service: string) => {
  const { snapshot } = JSON.parse((await installation.run(['ls', '--json'])).stdout)
  return (snapshot.workers as { service: string; state: string }[]).filter((each) => each.service === service)
}

it('a worker started by hand beside `up` is a second replica, and serves while the first one is away', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'forum' })
  await installation.up()
  const first = installation.find('worker forum')
  const second = installation.spawn(['worker', 'forum'])
  await untilSaid(second, second.stderr, /signed in/)
  expect(await workersOf(installation, 'forum')).toMatchObject([{ state: 'ready' }, { state: 'ready' }])
  process.kill(first, 'SIGKILL')
  await vi.waitFor(async () => expect(await workersOf(installation, 'forum')).toHaveLength(1))
  const call = await installation.run(['call', 'discourse_search', 'query=spoons'])
  expect(call.stderr).toMatch(/no_site_selected|No site is selected|discourse_select_site/)
  await vi.waitFor(async () => expect(await workersOf(installation, 'forum')).toHaveLength(2), { timeout: 5_000 })
}, 60_000)

it('one of which there may be one is told so: with the same data it ends with 2, with other data it waits', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'qda' })
  await installation.up()
  expect(await installation.run(['worker', 'qda'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^callboard: Another process is using .*: stop it, or give .*\.\n$/m),
  })
  const other = installation.spawn(['worker', 'qda'], {
    CALLBOARD_DATA: join(installation.directory, 'other'),
    CALLBOARD_SIGN_IN_SECRET_FILE: join(installation.data, 'sign-in.secret'),
  })
  expect(await untilSaid(other, other.stderr, /waiting/)).toContain('qda has one replica, and it is signed in.')
  expect(await workersOf(installation, 'qda')).toHaveLength(1)
}, 60_000)
