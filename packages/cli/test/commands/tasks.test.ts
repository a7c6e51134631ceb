import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const scheduler = fileURLToPath(new URL('scheduler-worker.mjs', import.meta.url))

it.each([[[]], [['--namespace', 'always']]])('shows what comes next, and what was, of a hub with %j', async (words) => {
  const installation = new Installation()
  await installation.hub(words)
  await installation.worker(scheduler)
  const { code, stdout, stderr } = await installation.run(['tasks'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    'LOCAL                ZONE          UTC                   GROUP  NAME   TASK',
    '2026-03-02T13:00:00  Europe/Paris  2026-03-02T12:00:00Z  main   daily  task_A',
    '2026-03-02T14:00:00  Europe/Paris  2026-03-02T13:00:00Z  lab    -      task_B',
    '2026-03-02T15:00:00  Europe/Paris  2026-03-02T14:00:00Z  main   daily  task_A',
    '',
    '1 task is paused.',
    '',
  ])
  const history = await installation.run(['tasks', '--history', '--group', 'lab'])
  expect(history.stdout.split('\n')).toEqual([
    'SCHEDULED             OUTCOME  GROUP  WHAT   ATTEMPTS  TOOK   RUN    ERROR',
    '2026-03-01T12:00:00Z  ok       lab    daily  1         1.2 s  run_1',
    '2026-03-01T12:00:00Z  dead     lab    daily  3         1.2 s  run_2  exit\\u000acode 1',
    '',
  ])
})

it('shows the beginning of a long error, and that it is one', async () => {
  const installation = new Installation()
  await installation.hub()
  await installation.worker(scheduler)
  const { stdout } = await installation.run(['tasks', '--history', '--group', 'long'])
  expect(stdout.split('\n')[2]).toMatch(/ exit\\u000acode 1(: far too long)+.*…$/)
})

it('filters, limits, and prints JSON; says what the scheduler refuses', async () => {
  const installation = new Installation()
  await installation.hub()
  await installation.worker(scheduler)
  const json = async (...words: string[]) => JSON.parse((await installation.run(['tasks', '--json', ...words])).stdout)
  expect((await json('--limit', '1')).upcoming).toMatchObject([{ task_id: 'task_A', utc: '2026-03-02T12:00:00Z' }])
  expect((await json('--group', 'lab')).upcoming).toMatchObject([{ task_id: 'task_B' }])
  expect((await json('--task', 'task_A')).upcoming).toHaveLength(2)
  expect((await json('--history', '--task', 'task_A')).runs).toMatchObject([{ run_id: 'run_1' }, { run_id: 'run_2' }])
  expect(await installation.run(['tasks', '--group', 'nobody'])).toMatchObject({
    code: 0,
    stdout: 'No run is coming.\n',
  })
  expect(await installation.run(['tasks', '--history', '--group', 'nobody'])).toMatchObject({
    code: 1,
    stderr: 'callboard: list_runs failed: There is no group nobody.\n',
  })
})

it('says when there is no hub, no scheduler, and when this is not the operator', async () => {
  const installation = new Installation()
  const nobody = await installation.run(['tasks'])
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringMatching(/^callboard: No hub is running in /) })
  expect(installation.processes()).toEqual([])
  await installation.hub()
  expect(await installation.run(['tasks'])).toMatchObject({
    code: 1,
    stderr:
      'callboard: The worker scheduler is not signed in at the hub: start it with "callboard up" or "callboard worker scheduler".\n',
  })
  await installation.worker(scheduler)
  expect(await installation.run(['tasks'], { CALLBOARD_TOKEN: 'wrong' })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^callboard: This hub has another operator secret than CALLBOARD_TOKEN/),
  })
})
