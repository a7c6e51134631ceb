import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout, Installation, untilSaid } from '../support/installation.js'

async function withService(): Promise<Installation> {
  const installation = new Installation()
  await installation.hub()
  await installation.worker(join(checkout, 'packages/cli/test/support/tool-worker.mjs'), ['one'])
  return installation
}

it('prints one table and ends', async () => {
  const { code, stdout, stderr } = await (await withService()).run(['top', '--once', '--interval', '0.1'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    /^hub 0\.1\.0, process \d+, .*\nSERVICE +WORKERS .*\none +1 ready +0\.0 +0\.0 +- +- +0\/\d+ +0 +-\n\n$/,
  )
})

it('prints one table after the other for a program, and ends when nobody reads any more', async () => {
  const child = (await withService()).spawn(['top', '--interval', '0.1'])
  const said = await untilSaid(child, child.stdout, /(hub 0\.1\.0.*){3}/s)
  expect(said).not.toContain('\x1b')
  child.stdout.destroy()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('goes on when the hub comes back', async () => {
  const installation = await withService()
  const child = installation.spawn(['top', '--interval', '0.1'])
  await untilSaid(child, child.stdout, /hub 0\.1\.0/)
  process.kill(installation.find('callboard.js hub'), 'SIGKILL')
  await untilSaid(child, child.stdout, /No hub is running/)
  await installation.hub()
  await untilSaid(child, child.stdout, /hub 0\.1\.0/)
})

it.each(['0.01', '3601', '-1', 'often'])('an interval of %s is refused', async (interval) => {
  const { code, stderr } = await new Installation().run(['top', '--interval', interval])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^callboard: .*interval.*\n$/)])
})

it('says that no hub runs', async () => {
  const { code, stderr } = await new Installation().run(['top'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^callboard: No hub is running/)])
})
