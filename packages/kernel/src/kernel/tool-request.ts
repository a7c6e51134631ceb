import type { ToolResult } from '@callboard/worker'
import type { ModuleRequest } from '../runtime/runtime.js'
import type { ModuleErrorKind } from '../session/module-api.js'
import type { Run } from './run.js'

/** Serves `tool(name, **arguments)` of a run: another worker's tool, in the name of whoever waits for the run at this moment. */
export function callTool(run: Run | undefined, request: ModuleRequest): void {
  const { name, arguments: args } = request.params
  if (typeof name !== 'string' || typeof args !== 'object' || args === null) {
    return request.reject('TypeError', 'tool() takes the name of a tool and its arguments by keyword.')
  }
  if (!run?.liveCall) return request.reject('UnavailableError', forsaken)
  run.liveCall.callTool(name, args as { readonly [name: string]: unknown }, request.signal).then(
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
