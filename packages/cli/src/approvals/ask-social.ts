import type { Environment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { callService } from '../hub-link/operator-client.js'
import { CommandError } from '../usage-error.js'

/** What the social worker answers to every call. */
export interface Envelope {
  readonly success: boolean
  readonly data: unknown
  readonly error?: { readonly code: string; readonly message: string }
  readonly meta?: {
    readonly pagination?: { readonly next_token?: string; readonly result_count: number; readonly has_more: boolean }
  }
}

/** The social worker said no; `code` is its own. */
export class SocialRefusal extends CommandError {
  readonly code: string

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(`${escapeControls(message)} (${escapeControls(code)})`)
    this.code = code
  }
}

/**
 * Asks a tool of the social worker, as an operator.
 * @throws SocialRefusal when it answers with an error; else as `askService`.
 */
export async function askSocial<Data>(
  environment: Environment,
  tool: string,
  args: object,
): Promise<{ readonly data: Data; readonly meta: NonNullable<Envelope['meta']> }> {
  const { structuredContent, content = [] } = await callService(environment, 'social', tool, args)
  const { success, data, error, meta = {} } = envelopeIn(tool, structuredContent, content)
  if (!success) throw new SocialRefusal(error ?? { code: 'internal_error', message: `${tool} gave no reason.` })
  return { data: data as Data, meta }
}

/** An error of the hub's own is no envelope: a call that timed out, a worker that left. */
function envelopeIn(tool: string, structured: unknown, content: readonly { readonly type: string }[]): Envelope {
  if (isEnvelope(structured)) return structured
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
