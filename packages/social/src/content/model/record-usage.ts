import type { Foundation } from '../../foundation.js'
import type { Tokens } from './dialect.js'
import type { ModelRequest } from './language-model.js'

export interface Usage {
  readonly provider: string
  readonly model: string
  readonly request: ModelRequest
  readonly tokens: Tokens
}

/** Never rejects: the text has been paid for, and is worth more than the note of it. */
export async function recordUsage({ store, clock, log }: Foundation, usage: Usage): Promise<void> {
  const { provider, model, request, tokens } = usage
  const { purpose, principal = null } = request
  const values = { provider, model, purpose, principal, input_tokens: tokens.input, output_tokens: tokens.output }
  try {
    await store.db
      .insertInto('llm_usage')
      .values({ ...values, at: clock.now() })
      .execute()
  } catch (error) {
    log.error({ err: error, ...values }, 'what the model was asked could not be recorded')
  }
}
