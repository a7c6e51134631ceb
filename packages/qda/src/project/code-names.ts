import { type FailureCode, QdaFailure } from '../failure.js'
import { codeNameLengthMax } from '../limits.js'
import { nameProblem } from '../text/name-problem.js'

/** The name as it is stored: its words one blank apart. Throws the failure where it can't be a name. */
export function storedCodeName(name: string, code: FailureCode): string {
  const problem = nameProblem(name, { lengthMax: codeNameLengthMax, slashes: 'allowed' })
  if (problem === undefined) return name.trim().replace(/\s+/g, ' ')
  throw new QdaFailure(code, `The name ${problem}`, { details: { path: 'name' } })
}
