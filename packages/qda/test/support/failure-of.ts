import { QdaFailure } from '../../src/failure.js'

/** The code of the failure that the work ends in. */
export async function failureOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    if (error instanceof QdaFailure) return error.code
    throw error
  }
  return 'no failure'
}
