import { ToolError } from '@callboard/worker'
import { ModuleError } from '../session/module-api.js'

/** What the session refuses, in the words of tools; anything else as it is. */
export function toolErrorOf(error: unknown): unknown {
  if (!(error instanceof ModuleError)) return error
  const code =
    error.kind === 'LimitError' ? 'overloaded' : error.kind === 'UnavailableError' ? 'unavailable' : 'invalid_argument'
  return new ToolError(code, error.message, { cause: error })
}
