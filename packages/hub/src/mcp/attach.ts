import { identityLengthMax } from '@callboard/protocol'
import type { ClientView } from '../catalogue-config.js'
import { parseClientView } from './client-view.js'
import { isRecord } from './json-rpc.js'

/** How an agent introduces itself on `mcp.sock`. */
export interface Attach {
  readonly as?: string
  readonly token?: string
  /** Random, one per client process: a reconnection with the same key is the same session. */
  readonly key: string
  /** What the client wants in its lists: `tools` (patterns, with commas) and `mode` in the line. */
  readonly view?: ClientView
}

/** A command of the CLI to the hub. */
export interface ControlCommand {
  readonly command: string
  readonly [key: string]: unknown
}

export type FirstLine =
  | { readonly kind: 'attach'; readonly attach: Attach }
  | { readonly kind: 'control'; readonly control: ControlCommand }
  | { readonly kind: 'invalid'; readonly message: string }

/** Total: any bytes are an introduction, a command, or a reason why not. */
export function parseFirstLine(bytes: Buffer): FirstLine {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return invalid('the first line must be JSON: {"callboard":1,"attach":{"key":"…"}}')
  }
  if (!isRecord(value) || value['callboard'] !== 1)
    return invalid('the first line must be an object with "callboard": 1')
  const { attach, control } = value
  if (isRecord(control) && typeof control['command'] === 'string') {
    return { kind: 'control', control: control as ControlCommand }
  }
  return isRecord(attach) ? parseAttach(attach) : invalid('the first line must hold "attach" or "control"')
}

function parseAttach(attach: Record<string, unknown>): FirstLine {
  const { as, token, key, tools, mode } = attach
  if (!isText(key)) return invalid('"attach.key" must be a non-empty string')
  if (as !== undefined && !isText(as)) return invalid('"attach.as" must be a non-empty string')
  if (token !== undefined && !isText(token)) return invalid('"attach.token" must be a non-empty string')
  const view = parseClientView(tools, mode)
  if (typeof view === 'string') return invalid(view)
  return {
    kind: 'attach',
    attach: {
      key,
      ...(as !== undefined && { as }),
      ...(token !== undefined && { token }),
      ...(Object.keys(view).length > 0 && { view }),
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= identityLengthMax
}

function invalid(message: string): FirstLine {
  return { kind: 'invalid', message }
}
