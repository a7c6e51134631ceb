import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { confirm } from '../../src/approvals/confirm.js'
import { collect } from '../support/installation.js'

async function answer(said: string): Promise<{ readonly yes: boolean; readonly asked: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const asked = collect(output)
  const yes = confirm('Approve item 7?', { input, output })
  input.end(said)
  return { yes: await yes, asked: asked() }
}

it.each(['y\n', 'Y\n', ' yes \n'])('takes %j for a yes', async (said) => {
  expect(await answer(said)).toEqual({ yes: true, asked: 'Approve item 7? [y/N] ' })
})

it.each(['', 'y', '\n', 'n\n', 'yep\n', 'no\ny\n', '7\n'])('takes %j for a no', async (said) => {
  expect((await answer(said)).yes).toBe(false)
})
