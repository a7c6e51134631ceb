import { QdaFailure } from '../failure.js'
import { coderNamesListedMax } from '../limits.js'
import { hiddenCoders, knownCoders } from './coders.js'
import type { ProjectDatabase } from './project-database.js'

/**
 * Throws INVALID_ARGUMENT, with the names there are, for a coder that the project does not know, and PERMISSION_DENIED for one
 * that it hides unless `mayReadHidden`.
 */
export function requireCoders(db: ProjectDatabase, coders: readonly string[], mayReadHidden: boolean): void {
  const known = knownCoders(db)
  const hidden = hiddenCoders(db)
  const unknown = coders.find((coder) => !known.includes(coder))
  if (unknown !== undefined) {
    const names = known.filter((name) => mayReadHidden || !hidden.includes(name)).slice(0, coderNamesListedMax)
    throw new QdaFailure('INVALID_ARGUMENT', `There is no coder '${unknown}' here; there are: ${names.join(', ')}`, {
      details: { path: 'coders', coders: names },
    })
  }
  const concealed = coders.find((coder) => hidden.includes(coder))
  if (concealed !== undefined && !mayReadHidden)
    throw new QdaFailure(
      'PERMISSION_DENIED',
      `The project hides the codings of '${concealed}'; only an operator may compare them`,
    )
}
