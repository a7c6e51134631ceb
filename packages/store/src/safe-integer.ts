import { StoreError } from './store-error.js'

/**
 * Refuses an integer that a JavaScript number cannot hold exactly. A 64-bit integer beyond the safe range is still beyond it
 * after the rounding, so the check needs no bigint.
 */
export function safeInteger(value: number): number {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new StoreError('corrupt', 'A stored integer is beyond 2^53 - 1: read it with a cast to text, or correct it.')
  }
  return value
}
