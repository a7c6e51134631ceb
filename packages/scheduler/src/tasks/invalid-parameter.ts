import type { ToolError } from '@callboard/worker'
import { storable } from '../records/storable.js'
import { refusal } from '../refusal.js'

const valueShownMax = 80

/** `reason` says which form is accepted. */
export function invalidParameter(parameter: string, value: unknown, reason: string): ToolError {
  const shown = storable(JSON.stringify(value) ?? 'nothing', valueShownMax)
  return refusal('INVALID_ARGUMENT', `${parameter}: ${reason} (got ${shown})`)
}
