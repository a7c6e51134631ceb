import type { ToolResult } from '@callboard/worker'
import type { ModuleRequest } from '../runtime/runtime.js'
import type { ModuleErrorKind } from '../session/module-api.js'
import type { Run } from './run.js'

interface Arguments {
  readonly [name: string]: unknown
}

/** Serves `tool(name, **arguments)` of a run: another worker's tool, in the name of whoever waits for the run at this moment. */
export function callTool(run: Run | undefined, request: ModuleRequest): void {
  const { name, arguments: args } = request.params
  if (typeof name !== 'string' || typeof args !== 'object' || args === null) {
    return request.reject('TypeError', 'tool() takes the name of a tool and its arguments by keyword.')
  }
  if (!run?.liveCall) return request.reject('UnavailableError', forsaken)
  run.liveCall.callTool(name, args as Arguments, request.signal).then(
    (result) => answer(name, result, request),
    (error: unknown) => request.reject(...failureOf(error, run)),
  )
}

function answer(name: string, result: ToolResult, request: ModuleRequest): void {
  const text = (result.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  if (result.isError) return request.reject('VibeError', `${name} failed: ${text}`)
  request.resolve(result.structuredContent ?? (hasOnlyText(result) ? text : result.content))
}

function hasOnlyText({ content }: ToolResult): boolean {
  return (content ?? []).every(({ type }) => type === 'text')
}

function failureOf(error: unknown, run: Run): [ModuleErrorKind, string] {
  if (!run.liveCall) return ['UnavailableError', forsaken]
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  if (code === 'not_found') return ['NotFoundError', message ?? '']
  const away = code === 'unavailable' || code === 'overloaded' || code === 'cancelled'
  return [away ? 'UnavailableError' : 'VibeError', `${code ?? 'internal'}: ${message ?? String(error)}`]
}

const forsaken =
  'tool() works while the weave_eval call that started this run waits for it, and for none that detached, was cancelled or is scheduled.'

/**
 * As {@link callTool}, for code of a cell. Refuses what would wait for that cell itself: a run queued behind it, or its own end.
 * Such a wait would only stop when the call detaches.
 */
export function callToolFromCell(kernelName: string | null, run: Run | undefined, request: ModuleRequest): void {
  const { name, arguments: args } = request.params
  if (run && waitsForItself(kernelName, run, String(name), (args ?? {}) as Arguments)) {
    return request.reject('ValueError', circular)
  }
  callTool(run, request)
}

/** The hub may list a tool as service_tool. */
function waitsForItself(kernelName: string | null, run: Run, tool: string, args: Arguments): boolean {
  const sameKernel = (args['kernel'] ?? null) === kernelName
  if (/(^|_)weave_eval$/.test(tool)) return sameKernel && args['foreground_s'] !== 0 && args['on_busy'] !== 'reject'
  if (!/(^|_)weave_wait$/.test(tool) || args['timeout_s'] === 0) return false
  return args['run_id'] === run.id || (sameKernel && (args['run_id'] ?? null) === null)
}

const circular =
  'This would wait for the run that calls it, as its kernel runs one at a time. Call the code directly, name another kernel, or queue it with foreground_s=0.'
