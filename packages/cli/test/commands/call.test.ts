import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const toolWorker = fileURLToPath(new URL('../support/tool-worker.mjs', import.meta.url))

it('whoever gives the name that the worker has for a tool learns the one that is listed', async () => {
  const installation = new Installation()
  await installation.hub(['--namespace', 'always'])
  await installation.worker(toolWorker, ['kernel2'])
  expect(await installation.run(['call', 'a1'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'callboard: There is no tool a1 (did you mean kernel2_a1?): "callboard ls" lists them all.\n',
  })
  expect((await installation.run(['call', 'kernel_a1'])).stderr).toContain('(did you mean kernel2_a1?)')
  expect((await installation.run(['call', 'kernel2_a1'])).stdout).toContain('kernel2')
})

it('a tool that is not listed for this session is called all the same: its worker tells why it is not', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'forum' })
  await installation.up()
  expect((await installation.run(['ls'])).stdout).toContain('discourse_create_post')
  const { code, stdout, stderr } = await installation.run(['call', 'discourse_create_post', 'topic_id:=1', 'raw=Hello'])
  expect({ code, stdout, error: JSON.parse(stderr) }).toEqual({
    code: 1,
    stdout: '',
    error: { error: 'No site selected. Call discourse_select_site first.', code: 'no_site_selected' },
  })
})

describe('while the workers start that the hub brings along', () => {
  const loader = new URL('../support/held-worker.mjs', import.meta.url)
  const held = () => {
    const installation = new Installation({ NODE_OPTIONS: `--import ${loader.href}` })
    const gate = join(installation.directory, 'gate')
    installation.environment['CALLBOARD_TEST_GATE'] = gate
    return { installation, open: () => writeFileSync(gate, '') }
  }

  async function begin(installation: Installation, words: readonly string[]) {
    const child = installation.spawn(['call', ...words])
    const said = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (chunk) => (said[stream] += chunk))
    const ended = once(child, 'close').then(([code]) => ({ code, ...said }))
    while (!said.stderr.includes('\n')) await once(child.stderr, 'data')
    return { child, ended }
  }

  const waiting = (tool: string) => `callboard: ${tool} is not there yet: waiting for kernel to start.\n`

  it('a call waits for them, and says so', async () => {
    const { installation, open } = held()
    const { ended } = await begin(installation, ['weave_eval', 'code=6 * 7'])
    // Longer than the hub keeps its first list back.
    expect(await installation.run(['call', 'other_tool', '--timeout', '5'])).toMatchObject({
      code: 1,
      stderr: `${waiting('other_tool')}callboard: No answer within 5 s.\n`,
    })
    open()
    expect(await ended).toEqual({ code: 0, stdout: expect.stringContaining('42'), stderr: waiting('weave_eval') })
  }, 30_000)

  it('a tool that nobody has is told when all of them are there', async () => {
    const { installation, open } = held()
    const { ended } = await begin(installation, ['weave_evl'])
    open()
    expect(await ended).toEqual({
      code: 2,
      stdout: '',
      stderr: `${waiting('weave_evl')}callboard: There is no tool weave_evl (did you mean weave_eval?): "callboard ls" lists them all.\n`,
    })
  }, 30_000)

  it('Ctrl-C ends the waiting', async () => {
    const { installation } = held()
    const { child, ended } = await begin(installation, ['weave_eval', 'code=1'])
    child.kill('SIGINT')
    expect(await ended).toEqual({ code: 1, stdout: '', stderr: `${waiting('weave_eval')}callboard: Cancelled.\n` })
  }, 30_000)
})
