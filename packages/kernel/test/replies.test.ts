import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectForTest, type TestCallOptions, type TestLink, textOf } from '@callboard/worker/testing'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernelWorker, type KernelWorker } from '../src/index.js'
import type { RunReport } from '../src/kernel/run-report.js'

/** What clients can rely on in every reply, whatever was asked: checked as clients check it. */

let directory: string
let kernel: KernelWorker
let link: TestLink

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  const config = { maxQueuedRuns: 1, maxKernels: 2, sandbox: 'off' }
  kernel = await createKernelWorker({ dataDirectory: directory, config })
  link = await connectForTest(kernel.worker)
})
afterEach(async () => {
  await link.close()
  await kernel.close()
  await rm(directory, { recursive: true, force: true })
})

const validator = new AjvJsonSchemaValidator()
const codes = [
  'invalid_argument',
  'not_found',
  'epoch_mismatch',
  'idempotency_conflict',
  'queue_full',
  'overloaded',
  'kernel_start_failed',
  'kernel_died',
  'unavailable',
  'cancelled',
]
const runTools = ['weave_eval', 'weave_wait']

interface InputSchema {
  readonly properties?: { readonly [field: string]: unknown }
  readonly required?: readonly string[]
}

interface Value {
  readonly [field: string]: unknown
}

/** Calls, and checks what holds for every reply. */
async function call(name: string, args: Value = {}, options?: TestCallOptions) {
  const answer = await link.callTool<Value>(name, args, options)
  const { outputSchema } = link.definitions.tools!.find((tool) => tool.name === name)!
  const { isError, structuredContent } = answer
  const error = answer._meta?.['callboard/error']
  expect(isError === true, 'callboard/error goes with isError').toBe(error !== undefined)
  if (isError) {
    const { retryAfterMs, ...rest } = error as Value
    expect(rest).toEqual({
      code: expect.stringMatching(`^(${codes.join('|')})$`),
      message: expect.any(String),
      retryable: expect.any(Boolean),
    })
    expect(['undefined', 'number']).toContain(typeof retryAfterMs)
    if (runTools.includes(name)) expect(structuredContent?.['failure']).toEqual(error)
    else {
      expect(structuredContent).toBeUndefined()
      expect(JSON.parse(textOf(answer))).toEqual(error)
    }
  } else expect(structuredContent !== undefined).toBe(outputSchema !== undefined)
  if (outputSchema && structuredContent) {
    const checked = validator.getValidator(outputSchema)(structuredContent)
    expect(checked.errorMessage, JSON.stringify(structuredContent)).toBeUndefined()
  }
  if (runTools.includes(name)) expectNeverMisleading(structuredContent as unknown as RunReport)
  expect(link.internalErrors).toEqual([])
  return { ...answer, code: isError ? (error as Value)['code'] : undefined }
}

/** By the fields of the contract alone. */
function expectNeverMisleading({ success, status, error, failure, run_id, epoch }: RunReport): void {
  expect(success).toBe(status === 'ok')
  expect(error === null).toBe(success)
  if (status === 'refused') expect([run_id, epoch]).toEqual([null, null])
  if (status === 'running' || status === 'queued') expect(error).toMatch(/^StillRunning: run \d+ goes on/)
  expect(failure !== null).toBe(status === 'refused' || status === 'kernel_died')
}

describe('every definition', () => {
  it('has all four annotations, by which calls are sent again or not', () => {
    const hints = (link.definitions.tools ?? []).map(({ name, annotations }) => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations as {
        [hint: string]: boolean
      }
      return [name, { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }]
    })
    const none = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
    const reading = { ...none, readOnlyHint: true, idempotentHint: true }
    expect(Object.fromEntries(hints)).toEqual({
      weave_eval: { ...none, destructiveHint: true, openWorldHint: true },
      weave_session: reading,
      weave_reset: { ...none, destructiveHint: true, openWorldHint: true },
      weave_help: reading,
      weave_wait: { ...none, idempotentHint: true },
      weave_peek: reading,
      weave_interrupt: { ...none, destructiveHint: true },
      weave_variables: reading,
      weave_inspect: reading,
      weave_complete: reading,
      weave_history: reading,
      weave_events: reading,
    })
  })

  it('takes these fields, null for those that are absent, and no others', () => {
    const inputs = (link.definitions.tools ?? []).map(({ name, inputSchema }) => {
      expect(inputSchema['additionalProperties']).toBe(false)
      const { properties = {}, required = [] } = inputSchema as InputSchema
      const fields = Object.entries(properties).map(([field, schema]) => {
        if (!required.includes(field)) expect(JSON.stringify(schema), `${name}.${field}`).toContain('"null"')
        return required.includes(field) ? `${field}!` : field
      })
      return [name, fields.join(' ')]
    })
    expect(Object.fromEntries(inputs)).toEqual({
      weave_eval: 'code! kernel runtime foreground_s timeout_s result_mode idempotency_key expect_epoch on_busy',
      weave_session: 'session_id kernel since',
      weave_reset: 'clear_session level replay kernel',
      weave_help: 'topic',
      weave_wait: 'run_id kernel timeout_s',
      weave_peek: 'run_id stream offset limit pattern kernel',
      weave_interrupt: 'run_id kernel force',
      weave_variables: 'pattern type limit kernel',
      weave_inspect: 'name! with_source kernel',
      weave_complete: 'code! cursor kernel',
      weave_history: 'limit before query run_id',
      weave_events: 'cursor types timeout_s limit',
    })
  })

  it('is of what every client can parse', () => {
    expect(JSON.stringify(link.definitions.tools)).not.toMatch(/"(default|format|pattern|\$ref)":"?[^{]/)
  })

  it.each<[string, string, readonly unknown[], readonly unknown[]]>([
    ['weave_eval', 'foreground_s', [0, 50], [-1, 50.1]],
    ['weave_eval', 'timeout_s', [0.1, 3_600], [0, 3_601]],
    ['weave_eval', 'kernel', ['x'.repeat(64)], ['', 'x'.repeat(65)]],
    ['weave_eval', 'idempotency_key', ['x'.repeat(128)], ['x'.repeat(129)]],
    ['weave_eval', 'result_mode', ['last', 'all', 'none'], ['first']],
    ['weave_eval', 'on_busy', ['queue', 'reject'], ['wait']],
    ['weave_eval', 'expect_epoch', [1], [1.5, '1']],
    ['weave_wait', 'timeout_s', [50], [51]],
    ['weave_events', 'timeout_s', [30], [31]],
    ['weave_reset', 'level', ['names', 'modules', 'process'], ['all']],
    ['weave_reset', 'replay', ['none', 'setup', 'all'], ['some']],
    ['weave_peek', 'stream', ['stdout', 'stderr', 'result', 'error'], ['stdin']],
  ])('of %s takes %s within its range', (tool, field, good, bad) => {
    const { inputSchema } = link.definitions.tools!.find(({ name }) => name === tool)!
    const accepts = (value: unknown) =>
      validator.getValidator(inputSchema)({ ...(tool === 'weave_eval' && { code: '1' }), [field]: value }).valid
    expect([...good, null].filter((value) => !accepts(value))).toEqual([])
    expect(bad.filter(accepts)).toEqual([])
  })
})

describe('every reply is of the shape that was announced', () => {
  it('before there is a process', async () => {
    await call('weave_session')
    await call('weave_help')
    await call('weave_history')
    await call('weave_events')
    await call('weave_variables')
    await call('weave_complete', { code: 'pri' })
    expect((await call('weave_inspect', { name: 'print' })).code).toBe('not_found')
    for (const tool of ['weave_wait', 'weave_peek', 'weave_interrupt'])
      expect((await call(tool)).code).toBe('not_found')
    await call('weave_reset', { clear_session: true, level: 'modules' })
    await call('weave_reset', { replay: 'all' })
  })

  it.each([
    ['a value', '5 * 5'],
    ['no value', 'x = 1'],
    ['an exception', 'print("before")\n1 / 0'],
    ['an exit', 'raise SystemExit(3)'],
    ['a death', 'import os; os._exit(3)'],
    ['output that is cut', 'print("é\\n" * 100_000)\nimport sys; print("x" * 100_000, file=sys.stderr)\n"y" * 100_000'],
    ['odd characters', 'print("\\0\\x1b[31m\\ud800".encode("utf-8", "surrogatepass"))\n"\\ud800\\0"'],
    ['an error with odd characters', 'raise ValueError("\\ud800\\0\\x1b[31m" * 20_000)'],
    ['what is shown', 'class P:\n    def _repr_html_(self): return "<b>1</b>"\nP()'],
  ])('of a run with %s', async (_, code) => {
    for (const result_mode of ['last', 'all', 'none']) await call('weave_eval', { code, result_mode })
    await call('weave_wait')
    await call('weave_eval', { code, idempotency_key: 'k' })
    await call('weave_eval', { code, idempotency_key: 'k' })
    for (const stream of ['stdout', 'stderr', 'result', 'error']) await call('weave_peek', { stream, offset: -50 })
    await call('weave_peek', { pattern: 'x' })
    await call('weave_interrupt')
    await call('weave_history', { run_id: 1 })
    await call('weave_events')
    await call('weave_session')
  })

  it('while a cell runs and another waits', async () => {
    await call('weave_eval', { code: 'import math\ndef f(): pass\nmarker("drop", 4)\nrule("beat:4", "stop")' })
    const code = 'import time\nprint("on")\ntime.sleep(60)'
    expect((await call('weave_eval', { code, foreground_s: 0 })).structuredContent).toMatchObject({ status: 'running' })
    await call('weave_eval', { code: '1', foreground_s: 0 })
    await call('weave_session')
    await call('weave_wait', { timeout_s: 0 })
    await call('weave_wait', { run_id: 2, timeout_s: 0 })
    await call('weave_peek', { run_id: 2 })
    await call('weave_history')
    await call('weave_variables')
    await call('weave_inspect', { name: 'f', with_source: true })
    await call('weave_inspect', { name: 'math.pi' })
    await call('weave_complete', { code: 'math.' })
    await call('weave_interrupt', { run_id: 3 })
    await call('weave_interrupt', { run_id: 2 })
    await call('weave_reset', { level: 'names', replay: 'setup' })
    await call('weave_eval', { code: '1 / 0' })
    await call('weave_reset', { replay: 'all' })
    await call('weave_session')
  })

  it('when it is refused', async () => {
    const refusals: [string, string, Value, TestCallOptions?][] = [
      ['invalid_argument', 'weave_eval', {}],
      ['invalid_argument', 'weave_eval', { code: '1', kernel: 'a\nb' }],
      ['invalid_argument', 'weave_wait', { timeout_s: 51 }],
      ['invalid_argument', 'weave_session', { colour: 1 }],
      ['invalid_argument', 'weave_reset', { level: 'all' }],
      ['invalid_argument', 'weave_help', { topic: 'schedular' }],
      ['invalid_argument', 'weave_peek', { limit: 1 }],
      ['invalid_argument', 'weave_events', { cursor: 'x' }],
      ['not_found', 'weave_eval', { code: '1', runtime: 'cobol' }],
      ['not_found', 'weave_session', { session_id: 'x' }],
      ['not_found', 'weave_wait', { run_id: 99 }],
      ['not_found', 'weave_history', { run_id: 99 }],
      ['epoch_mismatch', 'weave_eval', { code: '1', expect_epoch: 7 }],
    ]
    for (const [code, tool, args, options] of refusals) {
      expect((await call(tool, args, options)).code, JSON.stringify([tool, args])).toBe(code)
    }
    await call('weave_eval', { code: '1', idempotency_key: 'k' })
    expect((await call('weave_eval', { code: '2', idempotency_key: 'k' })).code).toBe('idempotency_conflict')
    const busy = { code: 'import time; time.sleep(60)', foreground_s: 0 }
    await call('weave_eval', busy)
    await call('weave_eval', busy)
    expect((await call('weave_eval', { code: '1' })).code).toBe('queue_full')
    await call('weave_eval', busy, { session: 'session-2' })
    expect((await call('weave_eval', { code: '1' }, { session: 'session-3' })).code).toBe('overloaded')
  })
})
