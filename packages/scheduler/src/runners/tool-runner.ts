import { CallFailure, type ToolResult } from '@callboard/worker'
import type { Hub } from '../hub/hub.js'
import { citedTextMax, resultBytesMax, retryAfterMsMax } from '../limits.js'
import { withinBytes } from './head-and-tail.js'
import { redacted } from './redaction.js'
import type { ErrorClass, RunError, Runner, RunReport, RunRequest } from './runner.js'
import { admittedFailureOf, failureOf, type ToolFailure, textOfResult } from './tool-answer.js'

/** A task that makes or changes tasks could keep itself alive without a model ever being asked. */
export const toolsNotForTasks: ReadonlySet<string> = new Set([
  'schedule_task',
  'set_task',
  'pause_task',
  'resume_task',
  'cancel_task',
])

/** Calls one tool as the group, with no model in between. */
export class ToolRunner implements Runner {
  readonly #hub: Pick<Hub, 'call' | 'tools'>

  constructor({ hub }: { readonly hub: Pick<Hub, 'call' | 'tools'> }) {
    this.#hub = hub
  }

  async run(request: RunRequest, signal: AbortSignal): Promise<RunReport> {
    const { tool, token, idempotencyKey, timeoutMs } = request
    if (tool === undefined) throw new Error(`run ${request.runId} has no tool`)
    if (toolsNotForTasks.has(tool.name)) return failed(refusedForTasks(tool.name))
    if (signal.aborted) return failed(stopped)
    try {
      const result = await this.#hub.call(token, tool.name, tool.args, { signal, timeoutMs, idempotencyKey })
      return reported(result, token)
    } catch (error) {
      if (signal.aborted) return { ...failed(stopped), toolCalls: 1 }
      if (!(error instanceof CallFailure)) throw error
      return { ...failed(await this.#failureOfCall(error, tool.name, token)), toolCalls: 1 }
    }
  }

  async #failureOfCall(failure: CallFailure, tool: string, token: string): Promise<RunError> {
    const known = classes[failure.code]
    // What may have happened is only done again when that makes no difference.
    const transient = known.again === 'if repeatable' ? await this.#isRepeatable(tool, token) : known.again
    return {
      class: known.class,
      text: redacted(`${tool}: ${failure.message}`, token),
      transient,
      ...retryAfter(failure.retryAfterMs),
    }
  }

  async #isRepeatable(name: string, token: string): Promise<boolean> {
    try {
      const tools = await this.#hub.tools(token)
      const annotations = tools.find((tool) => tool.name === name)?.annotations
      return annotations?.idempotentHint === true || annotations?.readOnlyHint === true
    } catch (error) {
      if (error instanceof CallFailure) return false
      throw error
    }
  }
}

interface Known {
  readonly class: ErrorClass
  /** Whether another attempt could do better; `if repeatable`: the call may have been carried out. */
  readonly again: boolean | 'if repeatable'
}

const classes: { readonly [code in CallFailure['code']]: Known } = {
  unavailable: { class: 'network', again: true },
  overloaded: { class: 'rate_limited', again: true },
  rate_limited: { class: 'rate_limited', again: true },
  deadline_exceeded: { class: 'outcome_unknown', again: 'if repeatable' },
  outcome_unknown: { class: 'outcome_unknown', again: 'if repeatable' },
  cancelled: { class: 'outcome_unknown', again: 'if repeatable' },
  internal: { class: 'outcome_unknown', again: 'if repeatable' },
  // The call was carried out; its result was not to be had.
  result_too_large: { class: 'tool_error', again: false },
  deadlock: { class: 'refused', again: false },
  depth_exceeded: { class: 'refused', again: false },
  request_too_large: { class: 'bad_config', again: false },
  not_found: { class: 'bad_config', again: false },
  forbidden: { class: 'refused', again: false },
  protocol_error: { class: 'refused', again: false },
}

const stopped: RunError = { class: 'outcome_unknown', text: 'The run was stopped.', transient: false }

function refusedForTasks(tool: string): RunError {
  return { class: 'refused', text: `${tool} can't be called by a task: let a prompt do it.`, transient: false }
}

function reported(result: ToolResult, token: string): RunReport {
  const failure = failureOf(result) ?? admittedFailureOf(result)
  return {
    text: withinBytes(redacted(textOfResult(result).replaceAll('\0', '\uFFFD'), token), resultBytesMax),
    toolCalls: 1,
    ...(failure !== undefined && { error: errorOf(failure, token) }),
  }
}

const refusals: ReadonlySet<string> = new Set(['FORBIDDEN', 'APPROVAL_REQUIRED'])

function errorOf({ code, message, retryable, retryAfterMs }: ToolFailure, token: string): RunError {
  const isRefusal = refusals.has(code.toUpperCase())
  return {
    class: isRefusal ? 'refused' : code.toUpperCase() === 'RATE_LIMITED' ? 'rate_limited' : 'tool_error',
    text: redacted(`${code}: ${message}`, token).slice(0, citedTextMax),
    transient: retryable && !isRefusal,
    ...retryAfter(retryAfterMs),
  }
}

function retryAfter(ms: number | undefined): { readonly retryAfterMs?: number } {
  return ms === undefined ? {} : { retryAfterMs: Math.min(ms, retryAfterMsMax) }
}

function failed(error: RunError): RunReport {
  return { text: '', error }
}
