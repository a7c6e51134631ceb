import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import type { Foundation } from '../foundation.js'
import { cooccurrencePairsDefault, cooccurrencePairsListedMax } from '../limits.js'
import { hiddenCoders } from '../project/coders.js'
import { allCodes, requireCode } from '../project/codes.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { allSources, requireSource } from '../project/sources.js'
import { type CodingFilter, listCodings, type PlacedCodings, placeCodings } from '../project/text-codings.js'
import { TimeSlices } from '../project/time-slices.js'
import { type CooccurrenceMode, cooccurrenceSteps } from '../statistics/cooccurrence.js'
import { type QdaTool, readTool } from './qda-tool.js'
import { codeIdsInput, sourceIdsInput } from './search-input.js'

const input = z.object({
  mode: z
    .enum(['overlap', 'same_span', 'source', 'near'])
    .default('overlap')
    .describe(
      'overlap: they share a character. same_span: they are on the same passage. source: they are in one source. near: at most distance characters lie between them',
    ),
  distance: z.int().min(0).max(1_000_000_000).optional().describe('Characters; of mode near only'),
  min_count: z.int().min(1).default(1).describe('Leaves out pairs that are rarer'),
  top: z
    .int()
    .min(1)
    .max(cooccurrencePairsListedMax)
    .default(cooccurrencePairsDefault)
    .describe('The most frequent pairs'),
  code_ids: codeIdsInput.describe('Only these codes'),
  source_ids: sourceIdsInput,
})

export function codeCooccurrenceTool({ clock }: Pick<Foundation, 'clock'>): QdaTool {
  return readTool({
    name: 'code_cooccurrence',
    title: 'Codes that occur together',
    description:
      'Counts which codes occur together in the texts, the most frequent pairs first. Passages that only touch do not overlap. Codings of hidden coders do not count.',
    input,
    data: z.object({
      mode: z.string(),
      pairs: z.array(
        z.object({
          code_a_id: z.int(),
          code_a_name: z.string(),
          code_b_id: z.int(),
          code_b_name: z.string(),
          count: z.int().describe('Pairs of codings; in mode same_span passages, in mode source sources'),
          shared_characters: z.int().describe('Characters that have both codes'),
          jaccard: z.number().describe('What both have by what either has: characters, passages or sources'),
        }),
      ),
      total_pairs: z.int().describe('Also those beyond top'),
      codings: z.int().describe('Codings of text that were looked at'),
      broken_codings: z.int().describe('Of these, without a certain place: they count in mode source only'),
    }),
    read: async (given, { project: { db }, context: { signal } }) => {
      const mode = modeOf(given)
      const slices = new TimeSlices(clock, signal)
      const names = new Map(allCodes(db).map(({ id, name }) => [id, name]))
      const bySource = await listCodings(db, filterOf(db, given), slices)
      const placed = await placeCodings(db, bySource, slices)
      const options = { ...mode, minCount: given.min_count, top: given.top }
      const { pairs, totalPairs } = await inSlices(cooccurrenceSteps(withoutPlaces(placed), options), slices)
      return {
        mode: given.mode,
        pairs: pairs.map(({ codeA, codeB, count, sharedCharacters, jaccard }) => ({
          code_a_id: codeA,
          code_a_name: names.get(codeA) ?? '',
          code_b_id: codeB,
          code_b_name: names.get(codeB) ?? '',
          count,
          shared_characters: sharedCharacters,
          jaccard,
        })),
        total_pairs: totalPairs,
        codings: placed.codings.length + placed.broken.length,
        broken_codings: placed.broken.length,
      }
    },
  })
}

function modeOf({ mode, distance }: z.output<typeof input>): CooccurrenceMode {
  if (mode !== 'near') {
    if (distance === undefined) return { mode }
    throw new QdaFailure('INVALID_ARGUMENT', `distance is for mode near; leave it out with mode ${mode}`, {
      details: { path: 'distance' },
    })
  }
  if (distance === undefined)
    throw new QdaFailure('MISSING_PARAMETER', 'Missing required parameter: distance', { details: { path: 'distance' } })
  return { mode, distance }
}

/** Throws where a code or a source is named that there is not. */
function filterOf(db: ProjectDatabase, { code_ids: codeIds, source_ids: sourceIds }: z.output<typeof input>) {
  for (const id of codeIds ?? []) requireCode(db, id)
  for (const id of sourceIds ?? []) requireSource(db, id)
  const codes = new Set(codeIds ?? allCodes(db).map(({ id }) => id))
  const sources = new Set(sourceIds ?? allSources(db).map(({ id }) => id))
  const hidden = new Set(hiddenCoders(db))
  const filter: CodingFilter = ({ codeId, sourceId, coder }) =>
    codes.has(codeId) && sources.has(sourceId) && !hidden.has(coder)
  return filter
}

function* withoutPlaces({ codings, broken }: PlacedCodings) {
  yield* codings
  for (const coding of broken) yield { ...coding, start: 0, end: 0 }
}

async function inSlices<Result>(steps: Generator<void, Result>, slices: TimeSlices): Promise<Result> {
  for (;;) {
    await slices.pause()
    const { done, value } = steps.next()
    if (done) return value
  }
}
