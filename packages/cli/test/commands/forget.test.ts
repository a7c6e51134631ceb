import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { fakeHub, statusOf } from '../support/fake-hub.js'
import { Installation } from '../support/installation.js'

const toolWorker = fileURLToPath(new URL('../support/tool-worker.mjs', import.meta.url))

function withSecret(): Installation {
  const installation = new Installation()
  mkdirSync(installation.data, { mode: 0o700 })
  writeFileSync(join(installation.data, 'operator.secret'), 'the-secret\n', { mode: 0o600 })
  return installation
}

const serviceOf = (service: string, tools: readonly string[], isServed = true) => ({
  service,
  version: '1',
  tools,
  isServed,
})

/** Service w is away with a1 and a2; x was refused a1, and has it when w is forgotten. */
function hubWithHeir(installation: Installation) {
  let services = [serviceOf('w', ['a1', 'a2'], false), serviceOf('x', ['own'])]
  return fakeHub(installation, ({ command }) => {
    if (command === 'snapshot') return { result: statusOf({ services }) }
    services = [serviceOf('x', ['a1', 'own'])]
    return { result: { ok: true } }
  })
}

describe('callboard forget', () => {
  it('says which names are free, and whose the others are now', async () => {
    const installation = withSecret()
    const heard = await hubWithHeir(installation)
    expect(await installation.run(['forget', 'w'])).toEqual({
      code: 0,
      stdout: 'Forgot w; its names are free: a2.\na1 belongs to x now.\n',
      stderr: '',
    })
    expect(heard).toEqual([{ command: 'forget', service: 'w', token: 'the-secret' }])
  })

  it('says so as JSON', async () => {
    const installation = withSecret()
    await hubWithHeir(installation)
    const { stdout } = await installation.run(['forget', 'w', '--json'])
    expect(JSON.parse(stdout)).toEqual({ forgotten: 'w', free: ['a2'], inherited: [{ tool: 'a1', service: 'x' }] })
  })

  it('suggests the nearest name', async () => {
    const installation = withSecret()
    await fakeHub(installation, ({ command }) =>
      command === 'snapshot'
        ? { result: statusOf({ services: [serviceOf('old-search', [], false)] }) }
        : { error: { code: 'unknown_service', message: 'There is no service old-serch.' } },
    )
    expect(await installation.run(['forget', 'old-serch'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'callboard: There is no service old-serch (did you mean old-search?): "callboard ls" lists them all.\n',
    })
  })

  it('needs a hub', async () => {
    expect(await withSecret().run(['forget', 'w'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^callboard: No hub is running in /),
    })
  })

  it('frees a name of a worker that has left for one that waits for it', async () => {
    const installation = new Installation()
    await installation.hub()
    const first = await installation.worker(toolWorker, ['w'])
    await installation.worker(toolWorker, ['x'])
    expect(await installation.run(['forget', 'w'])).toMatchObject({
      code: 2,
      stderr: 'callboard: Workers of w are signed in: end them first, or use "callboard drain w".\n',
    })
    first.kill()
    await vi.waitFor(async () =>
      expect((await installation.run(['ls'])).stdout).toMatch(/a1 +x +1.0.0 +a1 belongs to w, which is away/),
    )
    expect(await installation.run(['forget', 'w'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('a1 belongs to x now.\n'),
    })
    const { stdout } = await installation.run(['ls'])
    expect(stdout).not.toContain('REFUSED')
    expect(stdout).toMatch(/x +served +a1\n/)
  })
})
