import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import type { Foundation } from '../foundation.js'
import { agreementCodersMax } from '../limits.js'
import { allCodes, requireCode } from '../project/codes.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { requireCoders } from '../project/search-coders.js'
import { allSources, requireSource } from '../project/sources.js'
import { type CodingsBySource, listCodings, placeCodings } from '../project/text-codings.js'
import { TimeSlices } from '../project/time-slices.js'
import { type AgreementFigures, type Coefficient, coderAgreement } from '../statistics/agreement.js'
import { type QdaTool, readTool } from './qda-tool.js'
import { codeIdsInput, sourceIdsInput } from './search-input.js'

const coderName = z.string().min(1).max(1_000)

const input = z.object({
  coder_a: coderName.optional(),
  coder_b: coderName.optional(),
  coders: z.array(coderName).min(2).max(agreementCodersMax).optional().describe('Instead of coder_a and coder_b'),
  code_ids: codeIdsInput.describe('Default: the codes that at least one of them used there'),
  source_ids: sourceIdsInput.describe('Default: the sources that all of them coded'),
})

const reason = z.enum(['no_text', 'no_variation', 'not_two_coders']).optional().describe('Why there is no coefficient')

const figures = z.object({
  characters: z.int().describe('What was compared, once for each code'),
  coded_by_all: z.int(),
  coded_by_some: z.int(),
  coded_by_none: z.int(),
  coded_by: z.record(z.string(), z.int()).describe('Characters that each coder coded'),
  observed_agreement: z.number().nullable(),
  cohens_kappa: z.number().nullable().describe('Of two coders'),
  cohens_kappa_reason: reason,
  krippendorffs_alpha: z.number().nullable(),
  krippendorffs_alpha_reason: reason,
})

export function coderAgreementTool({ clock }: Pick<Foundation, 'clock'>): QdaTool {
  return readTool({
    name: 'coder_agreement',
    title: 'How far coders agree',
    description:
      'Compares where coders applied codes, character by character: agreement, Cohen’s kappa for two coders and Krippendorff’s alpha for any number, for each code and for all of them together. Give coder_a and coder_b, or coders.',
    input,
    data: z.object({
      coders: z.array(z.string()),
      source_ids: z.array(z.int()),
      codes: z.array(figures.extend({ code_id: z.int(), code_name: z.string() })),
      pooled: figures,
      broken_codings: z.int().describe('Left out: their text is not where they say'),
    }),
    read: async (given, { project: { db }, actor, context: { signal } }) => {
      const coders = codersOf(given)
      requireNamed(db, given)
      requireCoders(db, coders, actor.isOperator)
      const slices = new TimeSlices(clock, signal)
      const bySource = await codingsOf(db, coders, given, slices)
      const { codings, broken, lengths } = await placeCodings(db, bySource, slices)
      const names = new Map(allCodes(db).map(({ id, name }) => [id, name]))
      const used = new Set(codings.map(({ codeId }) => codeId))
      const codeIds = given.code_ids ?? [...names.keys()].filter((id) => used.has(id))
      const { codes, pooled } = coderAgreement({
        coders,
        codeIds: [...new Set(codeIds)],
        sources: [...lengths].map(([id, length]) => ({ id, length })),
        codings,
      })
      return {
        coders,
        source_ids: [...lengths.keys()],
        codes: codes.map((code) => ({ code_id: code.codeId, code_name: names.get(code.codeId) ?? '', ...shown(code) })),
        pooled: shown(pooled),
        broken_codings: broken.length,
      }
    },
  })
}

type Given = z.output<typeof input>

function codersOf({ coder_a: one, coder_b: other, coders }: Given): string[] {
  if (coders !== undefined && (one !== undefined || other !== undefined))
    throw new QdaFailure('INVALID_ARGUMENT', 'Give coder_a and coder_b, or coders, and not both', {
      details: { path: 'coders' },
    })
  const missing = one === undefined ? 'coder_a' : 'coder_b'
  if (coders === undefined && (one === undefined || other === undefined))
    throw new QdaFailure('MISSING_PARAMETER', `Missing required parameter: ${missing}`, { details: { path: missing } })
  const named = [...new Set(coders ?? [one!, other!])]
  if (named.length >= 2) return named
  throw new QdaFailure('INVALID_ARGUMENT', `'${named[0]}' can't be compared with itself; name two different coders`, {
    details: { path: coders === undefined ? 'coder_b' : 'coders' },
  })
}

function requireNamed(db: ProjectDatabase, { code_ids: codeIds, source_ids: sourceIds }: Given): void {
  for (const id of codeIds ?? []) requireCode(db, id)
  for (const id of sourceIds ?? []) requireSource(db, id)
}

/** Of the sources in question, by id; those without a coding that counts are in it, too. */
async function codingsOf(
  db: ProjectDatabase,
  coders: readonly string[],
  { code_ids: codeIds, source_ids: sourceIds }: Given,
  slices: TimeSlices,
): Promise<CodingsBySource> {
  const sources = new Set(sourceIds ?? allSources(db).map(({ id }) => id))
  const codes = new Set(codeIds ?? allCodes(db).map(({ id }) => id))
  const codersBySource = new Map<number, Set<string>>()
  const listed = await listCodings(
    db,
    ({ sourceId, codeId, coder }) => {
      if (!sources.has(sourceId) || !coders.includes(coder)) return false
      codersBySource.set(sourceId, (codersBySource.get(sourceId) ?? new Set()).add(coder))
      return codes.has(codeId)
    },
    slices,
  )
  const isCompared = (id: number) => sourceIds !== undefined || codersBySource.get(id)?.size === coders.length
  const compared = [...sources].filter(isCompared).toSorted((one, other) => one - other)
  return new Map(compared.map((id) => [id, listed.get(id) ?? []]))
}

function shown(from: AgreementFigures) {
  const kappa = coefficient(from.cohensKappa)
  const alpha = coefficient(from.krippendorffsAlpha)
  return {
    characters: from.characters,
    coded_by_all: from.codedByAll,
    coded_by_some: from.codedBySome,
    coded_by_none: from.codedByNone,
    coded_by: Object.fromEntries(from.codedBy.map(({ coder, characters }) => [coder, characters])),
    observed_agreement: from.observedAgreement,
    cohens_kappa: kappa.value,
    ...(kappa.reason !== undefined && { cohens_kappa_reason: kappa.reason }),
    krippendorffs_alpha: alpha.value,
    ...(alpha.reason !== undefined && { krippendorffs_alpha_reason: alpha.reason }),
  }
}

const coefficient = (of: Coefficient) => (of.value === null ? of : { value: of.value, reason: undefined })
