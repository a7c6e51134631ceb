import type { ToolError } from '@callboard/worker'
import { storable } from '../records/storable.js'
import { refusal } from '../refusal.js'

const valueShownMax = 80

/** `reason` says what is wrong with the value, or which form is accepted. */
export function invalidParameter(parameter: string, value: unknown, reason: string, hint?: string): ToolError {
  const shown = storable(JSON.stringify(value) ?? 'absent', valueShownMax)
  return refusal('INVALID_ARGUMENT', `${parameter} ${shown}: ${reason}`, { ...(hint !== undefined && { hint }) })
}
