import type { Environment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { callService } from '../hub-link/operator-client.js'
import { CommandError } from '../usage-error.js'
import { type Envelope, readEnvelope } from './read-envelope.js'

/** What the qda worker answers to every call. */
interface QdaEnvelope extends Envelope {
  readonly error?: string
  readonly error_code?: string
}

/** The qda worker said no. */
export class QdaRefusal extends CommandError {}

/**
 * Asks a tool of the qda worker, as an operator.
 * @throws QdaRefusal when it answers with an error; else as `callService`.
 */
export async function askQda<Data>(environment: Environment, tool: string, args: object): Promise<Data> {
  const answer: QdaEnvelope = readEnvelope(tool, await callService(environment, 'qda', tool, args))
  const { success, data, error = `${tool} gave no reason.`, error_code: code = 'INTERNAL' } = answer
  if (!success) throw new QdaRefusal(escapeControls(`${error} (${code})`))
  return data as Data
}
