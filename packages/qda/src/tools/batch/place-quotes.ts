import type { QdaFailure } from '../../failure.js'
import type { OpenProject } from '../../project/open-project.js'
import type { TimeSlices } from '../../project/time-slices.js'
import { SearchAllowance } from '../../text/search-allowance.js'
import type { Operation } from './operation.js'
import { orFailure } from './or-failure.js'
import { placeByQuote, type QuotedPlace } from './place-operation.js'

/** By the index of the operation. */
export type QuotedPlaces = ReadonlyMap<number, QuotedPlace | QdaFailure>

/** Finds the quotes of a batch, source by source, so that each text is read once. What has no source is left out. */
export async function placeQuotes(
  operations: readonly (Operation | string)[],
  project: OpenProject,
  slices: TimeSlices,
): Promise<QuotedPlaces> {
  const allowance = new SearchAllowance()
  const places = new Map<number, QuotedPlace | QdaFailure>()
  for (const [sourceId, quoted] of quotedBySource(operations)) {
    for (const [at, operation] of quoted) {
      // After a pause the source may be gone, or have another text.
      const text = project.texts.get(sourceId)
      if (text !== undefined)
        places.set(
          at,
          orFailure(() => placeByQuote(text, operation, allowance)),
        )
      await slices.pause()
    }
  }
  return places
}

function quotedBySource(operations: readonly (Operation | string)[]) {
  const bySource = new Map<number, [number, Operation][]>()
  operations.forEach((operation, index) => {
    if (typeof operation === 'string' || operation.quote === undefined) return
    const quoted = bySource.get(operation.sourceId) ?? []
    quoted.push([index, operation])
    bySource.set(operation.sourceId, quoted)
  })
  return bySource
}
