import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
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
