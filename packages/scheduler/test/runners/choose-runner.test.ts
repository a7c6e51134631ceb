import { expect, it } from 'vitest'
import { runnerFor } from '../../src/runners/choose-runner.js'
import { claude } from './support/command-bench.js'
import { runRequest } from './support/run-request.js'

const [command, http, tool] = ['command', 'http', 'tool'].map((text) => ({ run: async () => ({ text }) })) as never[]
const runners = { command, http, tool } as unknown as Parameters<typeof runnerFor>[1]
const chat = { kind: 'http', baseUrl: 'http://127.0.0.1:11434/v1', model: 'm' } as const

it('a group is run by its runner, a direct call by none of them', () => {
  expect(runnerFor(runRequest({ runner: claude }), runners)).toBe(command)
  expect(runnerFor(runRequest({ runner: chat }), runners)).toBe(http)
  expect(runnerFor(runRequest({ runner: claude, tool: { name: 't', args: {} } }), runners)).toBe(tool)
  expect(runnerFor(runRequest({ tool: { name: 't', args: {} } }), runners)).toBe(tool)
})

it('a group without a runner can run no prompt, and is told what to do', () => {
  expect(runnerFor(runRequest(), runners)).toEqual({
    class: 'bad_config',
    text: expect.stringMatching(/^Group lab has no runner.*: add a runner/),
    transient: false,
  })
})
