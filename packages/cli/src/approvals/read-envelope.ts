import type { ToolResult } from '../call/show-result.js'
import { escapeControls } from '../escape-controls.js'
import { CommandError } from '../usage-error.js'

/** What the workers whose answers say whether they succeeded have in common. */
export interface Envelope {
  readonly success: boolean
  readonly data?: unknown
}

/** @throws CommandError for an error of the hub's own, which is no envelope: a call that timed out, a worker that left. */
export function readEnvelope(tool: string, { structuredContent, content = [] }: ToolResult): Envelope {
  if (isEnvelope(structuredContent)) return structuredContent
  const { text = 'it gave no reason' } = (content.find(({ type }) => type === 'text') ?? {}) as { text?: unknown }
  const parsed = parsedOr(String(text))
  if (isEnvelope(parsed)) return parsed
  const { message = text } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as { message?: unknown }
  throw new CommandError(escapeControls(`${tool} failed: ${message}`))
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'success' in value
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
