import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { collect, Installation, untilSaid } from '../support/installation.js'

interface Shown {
  readonly supervised: readonly { readonly worker: string; readonly state: string; readonly pid?: number }[]
}

const configure = ({ data }: Installation, scheduler: object) =>
  writeFileSync(join(data, 'callboard.config.json'), JSON.stringify({ scheduler }))

async function shown(installation: Installation): Promise<Shown> {
  return JSON.parse((await installation.run(['ls', '--json'])).stdout).hub
}

/** By worker. */
const pidsOf = ({ supervised }: Shown) => Object.fromEntries(supervised.map(({ worker, pid }) => [worker, pid]))

it('a worker in a crash loop is shown everywhere, disturbs nobody, and is back when it is mended', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'kernel,forum,scheduler' })
  mkdirSync(installation.data, { mode: 0o700 })
  configure(installation, {})
  const up = installation.spawn(['up'])
  const said = collect(up.stderr)
  await untilSaid(up, up.stdout, /^(?=.*kernel +ready)(?=.*forum +ready)(?=.*scheduler +ready)/s)
  const before = await shown(installation)
  expect(before.supervised.map(({ worker, state }) => [worker, state])).toEqual([
    ['kernel', 'running'],
    ['forum', 'running'],
    ['scheduler', 'running'],
  ])

  configure(installation, { max_concurrent_runs: 'many' })
  const looping = untilSaid(up, up.stderr, /the worker scheduler is crash-looping .*\n/)
  process.kill(installation.find('worker scheduler'), 'SIGKILL')
  let isLooping = true
  const calls = (async () => {
    const codes: unknown[] = []
    while (isLooping) codes.push((await installation.run(['call', 'weave_eval', 'code=1 + 1'])).stdout)
    return codes
  })()
  expect(await looping).toMatch(/is crash-looping \(exit code 2\); .* Last it said: .*max_concurrent_runs/)

  const during = await shown(installation)
  expect(during.supervised[2]).toMatchObject({
    worker: 'scheduler',
    state: 'crash_looping',
    restarts: 3,
    endsInARow: 4,
    lastExit: { how: 'exit code 2', complaint: expect.stringContaining('max_concurrent_runs') },
  })
  expect(pidsOf(during)).toMatchObject({ kernel: pidsOf(before)['kernel'], forum: pidsOf(before)['forum'] })
  const list = (await installation.run(['ls'])).stdout
  expect(list).toMatch(
    /^scheduler +crash-looping since \S+Z, (again in \d+ s|tried now) .* exit code 2, .*max_concurrent_runs/m,
  )
  expect((await installation.run(['doctor'])).stdout).toMatch(
    /^PROBLEM worker scheduler: is crash-looping since .*max_concurrent_runs.*\n +remedy: mend what it says/m,
  )

  configure(installation, {})
  await vi.waitFor(() => expect(said()).toContain('the worker scheduler is signed in; its crash loop is over.'), {
    timeout: 20_000,
  })
  isLooping = false
  const answers = await calls
  expect(answers.length).toBeGreaterThan(0)
  expect(new Set(answers)).toEqual(new Set(['2\n']))
  expect(said().match(/is crash-looping/g)).toHaveLength(1)
  const after = await shown(installation)
  expect(after.supervised[2]).toMatchObject({ worker: 'scheduler', state: 'running' })
  expect(pidsOf(after)).toMatchObject({ kernel: pidsOf(before)['kernel'], forum: pidsOf(before)['forum'] })
}, 60_000)
