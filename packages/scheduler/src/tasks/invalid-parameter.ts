import { storable } from '@callboard/store'
import type { ToolError } from '@callboard/worker'
import { shownValueMax } from '../limits.js'
import { refusal } from '../refusal.js'

/** `reason` says which form is accepted. */
export function invalidParameter(parameter: string, value: unknown, reason: string): ToolError {
  const shown = storable(JSON.stringify(value) ?? 'nothing', shownValueMax)
  return refusal('INVALID_ARGUMENT', `${parameter}: ${reason} (got ${shown})`)
}
