import { CallFailure, type CallOptions, type ToolResult } from '@callboard/worker'
import { describe, expect, it } from 'vitest'
import type { HubTool } from '../../src/hub/hub.js'
import type { RunRequest } from '../../src/runners/runner.js'
import { ToolRunner } from '../../src/runners/tool-runner.js'
import { runRequest, runToken } from './support/run-request.js'

const tool = { name: 'publish', args: { page: 7 } }

/** What becomes of one direct call that the hub answers so. */
async function outcome(
  answer: ToolResult | Error,
  options: { readonly annotations?: HubTool['annotations']; readonly request?: Partial<RunRequest> } = {},
) {
  const { annotations, request } = options
  const calls: { token: string; tool: string; args: object; options: CallOptions | undefined }[] = []
  const hub = {
    tools: async () => [{ name: 'publish', inputSchema: {}, ...(annotations && { annotations }) }],
    call: async (token: string, name: string, args: object, callOptions?: CallOptions) => {
      calls.push({ token, tool: name, args, options: callOptions })
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const runner = new ToolRunner({ hub })
  return { report: await runner.run(runRequest({ tool, ...request }), new AbortController().signal), calls }
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

function refused(error: object): ToolResult {
  return { ...text(JSON.stringify(error)), isError: true, _meta: { 'callboard/error': error } }
}

describe('a direct call', () => {
  it('is made once, as the run, under the key of its slot', async () => {
    const { report, calls } = await outcome(text(`published with ${runToken}`))
    expect(report).toEqual({ text: 'published with [redacted]', toolCalls: 1 })
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({
      token: runToken,
      tool: 'publish',
      args: { page: 7 },
      options: { idempotencyKey: runRequest().idempotencyKey, timeoutMs: 600_000 },
    })
  })

  it('of a tool that changes tasks is refused', async () => {
    for (const name of ['schedule_task', 'set_task', 'pause_task', 'resume_task', 'cancel_task']) {
      const { report, calls } = await outcome(text('ok'), { request: { tool: { name, args: {} } } })
      expect(report.error).toMatchObject({ class: 'refused', transient: false })
      expect(calls).toEqual([])
    }
  })

  it('that did not arrive may be made again', async () => {
    for (const [code, errorClass] of [
      ['unavailable', 'network'],
      ['overloaded', 'rate_limited'],
    ] as const) {
      const { report } = await outcome(new CallFailure(code, 'not now', { retryAfterMs: 250 }))
      expect(report.error).toEqual({ class: errorClass, text: 'publish: not now', transient: true, retryAfterMs: 250 })
    }
  })

  it('that may have been carried out is only made again where that makes no difference', async () => {
    for (const code of ['outcome_unknown', 'deadline_exceeded', 'internal', 'cancelled'] as const) {
      const error = async (annotations?: HubTool['annotations']) =>
        (await outcome(new CallFailure(code, 'lost'), annotations && { annotations })).report.error
      expect(await error()).toMatchObject({ class: 'outcome_unknown', transient: false })
      expect(await error({ idempotentHint: false })).toMatchObject({ transient: false })
      expect(await error({ idempotentHint: true })).toMatchObject({ transient: true })
      expect(await error({ readOnlyHint: true })).toMatchObject({ transient: true })
    }
  })

  it('that can never work is not made again', async () => {
    for (const code of ['not_found', 'forbidden', 'protocol_error', 'result_too_large', 'depth_exceeded'] as const) {
      expect((await outcome(new CallFailure(code, 'no'))).report.error).toMatchObject({ transient: false })
    }
  })
})

describe('a tool that fails', () => {
  it('says itself whether another attempt could do better', async () => {
    const busy = { code: 'RATE_LIMITED', message: 'later', retryable: true, retryAfterMs: 60_000 }
    expect((await outcome(refused(busy))).report).toMatchObject({
      text: JSON.stringify(busy),
      error: { class: 'rate_limited', text: 'RATE_LIMITED: later', transient: true, retryAfterMs: 60_000 },
    })
    const wrong = { code: 'INVALID_ARGUMENT', message: 'page must be a word', retryable: false }
    expect((await outcome(refused(wrong))).report.error).toEqual({
      class: 'tool_error',
      text: 'INVALID_ARGUMENT: page must be a word',
      transient: false,
    })
  })

  it('says so in JSON text, in structured content, or in words', async () => {
    const shape = { code: 'TIMEOUT', message: 'slow', retryable: true }
    for (const result of [
      { ...text(JSON.stringify({ error: shape })), isError: true },
      { ...text('slow'), structuredContent: { error: shape }, isError: true },
    ]) {
      expect((await outcome(result)).report.error).toMatchObject({ text: 'TIMEOUT: slow', transient: true })
    }
    expect((await outcome({ ...text('It broke.'), isError: true })).report.error).toEqual({
      class: 'tool_error',
      text: 'error: It broke.',
      transient: false,
    })
  })

  it('because somebody must approve, or may not, is not called again', async () => {
    for (const code of ['APPROVAL_REQUIRED', 'FORBIDDEN', 'forbidden']) {
      const { report } = await outcome(refused({ code, message: 'ask first', retryable: true }))
      expect(report.error).toMatchObject({ class: 'refused', transient: false })
    }
  })
})

it('what a tool says of itself, that it did not succeed, is a failure', async () => {
  const content = [{ type: 'text' as const, text: '…' }]
  const hub = {
    call: async () => ({
      content,
      structuredContent: { success: false, error: 'ZeroDivisionError: division by zero' },
    }),
    tools: async () => [],
  }
  const report = await new ToolRunner({ hub }).run(
    runRequest({ tool: { name: 'weave_eval', args: {} } }),
    new AbortController().signal,
  )
  expect(report.error).toEqual({
    class: 'tool_error',
    text: 'unsuccessful: ZeroDivisionError: division by zero',
    transient: false,
  })
})
