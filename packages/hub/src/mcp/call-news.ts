import type { LogLevel } from '@callboard/protocol'
import { parseBody } from './agent-result.js'
import { withoutWorkerForgery } from './reserved-meta.js'

/** The params of `notifications/progress`; undefined: the worker's body says no progress, or nobody asked for any. */
export function progressParams(body: Uint8Array, progressToken: string | number | undefined): object | undefined {
  const params = parseBody(body)
  if (progressToken === undefined || typeof params?.['progress'] !== 'number') return undefined
  return withoutWorkerForgery({ ...params, progressToken })
}

/** The params of `notifications/message`; undefined: the worker's body says nothing. */
export function logParams(body: Uint8Array, level: LogLevel): object | undefined {
  const params = parseBody(body)
  return params !== undefined && 'data' in params ? withoutWorkerForgery({ ...params, level }) : undefined
}
