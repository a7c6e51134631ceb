import type { Environment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { callService } from '../hub-link/operator-client.js'
import { CommandError } from '../usage-error.js'
import { type Envelope, readEnvelope } from './read-envelope.js'

/** What the social worker answers to every call. */
interface SocialEnvelope extends Envelope {
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
 * @throws SocialRefusal when it answers with an error; else as `callService`.
 */
export async function askSocial<Data>(
  environment: Environment,
  tool: string,
  args: object,
): Promise<{ readonly data: Data; readonly meta: NonNullable<SocialEnvelope['meta']> }> {
  const answer: SocialEnvelope = readEnvelope(tool, await callService(environment, 'social', tool, args))
  const { success, data, error, meta = {} } = answer
  if (!success) throw new SocialRefusal(error ?? { code: 'internal_error', message: `${tool} gave no reason.` })
  return { data: data as Data, meta }
}
