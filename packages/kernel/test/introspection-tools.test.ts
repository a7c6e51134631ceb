import { ToolError } from '@callboard/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../src/kernel/kernel.js'
import { completeCode, completeInput, completeSpec } from '../src/tools/complete-tool.js'
import { inspectInput, inspectName, inspectSpec } from '../src/tools/inspect-tool.js'
import { listVariables, variablesInput, variablesSpec } from '../src/tools/variables-tool.js'
import { evaluate, openPool, type PoolFixture } from './support/fixture.js'
import { deferred } from './support/processes.js'

let house: PoolFixture
let kernel: Kernel

beforeAll(async () => {
  house = await openPool()
  kernel = house.kernel()
  await evaluate(kernel, 'prices = [3, 4]\ndef total(items, tax=0):\n    """The sum."""\n    return sum(items) + tax')
})
afterAll(() => house[Symbol.asyncDispose]())

const answerOf = (answer: object) => (answer as { value: object }).value
const textOf = (answer: object) => (answer as { content: readonly { text: string }[] }).content[0]!.text
const failureOf = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => error as ToolError,
  )

describe('weave_variables, weave_inspect and weave_complete', () => {
  it('answer with values and with a text', async () => {
    const variables = await listVariables({}, kernel)
    expect(answerOf(variables)).toMatchObject({
      total: 2,
      notice: null,
      variables: [{ name: 'prices', size: 2, run_id: 1 }, {}],
    })
    expect(textOf(variables)).toBe('prices: list (2) = [3, 4]  [run 1]\ntotal: function = <function total>  [run 1]')
    expect(textOf(await listVariables({ limit: 1 }, kernel))).toMatch(/… and 1 more$/)
    const inspected = await inspectName({ name: 'total', with_source: true }, kernel)
    expect(answerOf(inspected)).toMatchObject({ signature: 'total(items, tax=0)', doc: 'The sum.' })
    expect(textOf(inspected)).toMatch(
      /^function total\(items, tax=0\)\n\nDefined in <cell-1>:2\n\nThe sum\.\n\ndef total/,
    )
    const completed = await completeCode({ code: 'prices.app' }, kernel)
    expect(answerOf(completed)).toEqual({ matches: ['append'], total: 1, start: 7, end: 10, notice: null })
  })

  it('answer while a cell runs', async () => {
    const running = deferred()
    const ended = evaluate(kernel, 'import time\nprint("go", flush=True)\ntime.sleep(60)', {
      onOutput: () => running.resolve(),
    })
    await running.promise
    expect(answerOf(await listVariables({ pattern: 'prices' }, kernel))).toMatchObject({ total: 1 })
    expect(answerOf(await completeCode({ code: 'pri', cursor: 2 }, kernel))).toMatchObject({ start: 0, end: 2 })
    kernel.runtime!.interrupt(kernel.active!.id)
    await ended
  })

  it('say so when C code holds the interpreter', async () => {
    const running = deferred()
    const ended = evaluate(kernel, 'import itertools\nprint("go", flush=True)\nsum(itertools.repeat(0))', {
      onOutput: () => running.resolve(),
    })
    await running.promise
    for (const asked of [
      listVariables({}, kernel),
      inspectName({ name: 'x' }, kernel),
      completeCode({ code: 'x' }, kernel),
    ]) {
      const failure = await failureOf(asked)
      expect(failure).toMatchObject({ code: 'unavailable', retryable: true })
      expect(failure!.message).toMatch(/did not answer within a second: C code holds the interpreter/)
    }
    await kernel.runtime?.kill('reset')
    await ended
  }, 15_000)

  it('start no Python', async () => {
    const absent = house.kernel('another')
    for (const none of [undefined, absent]) {
      expect(answerOf(await listVariables({}, none))).toMatchObject({
        variables: [],
        notice: expect.stringMatching(/No Python is running/),
      })
      expect(answerOf(await completeCode({ code: '𝄞' }, none))).toMatchObject({ matches: [], start: 1, end: 1 })
      expect(await failureOf(inspectName({ name: 'x' }, none))).toMatchObject({ code: 'not_found' })
    }
    expect(absent.state).toBe('absent')
  })

  it('are Python’s', async () => {
    const other = { runtime: { description: 'ir 4.2' } } as unknown as Kernel
    expect(await failureOf(listVariables({}, other))).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/ir 4\.2/),
    })
  })

  it('suggest a name, and refuse what the code cannot hold', async () => {
    await evaluate(kernel, 'prices = 1')
    const wrong = await failureOf(inspectName({ name: 'price' }, kernel))
    expect(wrong).toBeInstanceOf(ToolError)
    expect(wrong).toMatchObject({ code: 'not_found', message: "There is no name 'price' here; did you mean 'prices'?" })
    expect(await failureOf(completeCode({ code: 'a', cursor: 2 }, kernel))).toMatchObject({ code: 'invalid_argument' })
    expect(await failureOf(inspectName({ name: 'a b' }, kernel))).toMatchObject({ code: 'invalid_argument' })
    for (const bad of [{ limit: 0 }, { limit: 1.5 }, { limit: 201 }, { pattern: '' }, { pattern: 'x'.repeat(201) }])
      expect(variablesInput.safeParse(bad).success).toBe(false)
    expect(completeInput.safeParse({ code: 'a', cursor: -1 }).success).toBe(false)
    expect(inspectInput.safeParse({ name: '' }).success).toBe(false)
    expect(variablesInput.safeParse({ pattern: null, type: null, limit: null, kernel: null }).success).toBe(true)
  })

  it('are read-only and idempotent, and nothing else', () => {
    for (const { annotations } of [variablesSpec, inspectSpec, completeSpec])
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
  })
})
