import { QdaFailure } from '../../failure.js'

/** What went wrong with one item is told in its row. */
export function orFailure<Value>(work: () => Value): Value | QdaFailure {
  try {
    return work()
  } catch (error) {
    if (error instanceof QdaFailure) return error
    throw error
  }
}
