import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { codeNameLengthMax, speakersMax } from '../limits.js'
import { requireCode } from '../project/codes.js'
import { chosenSources } from '../project/search-sources.js'
import { TimeSlices } from '../project/time-slices.js'
import { speakerKey, speakersOf } from '../speakers/speakers-of.js'
import { nameProblem } from '../text/name-problem.js'
import { PassageCoder, requireFewPassages, requireSameText } from './auto-code-passages.js'
import { type CodedSpeaker, SpeakerCodes, withCodes } from './auto-code-speakers.js'
import { collectTurns, type SpokenSource } from './auto-code-turns.js'
import { id } from './common-input.js'
import { type ProjectCall, rowsTool, type WriteTool } from './qda-tool.js'
import { sourceIdsInput } from './search-input.js'
import type { ToolParts } from './tool-parts.js'

const input = z.object({
  source_ids: sourceIdsInput,
  formats: z
    .array(z.enum(['name', 'bracket', 'brace', 'hash', 'at']))
    .min(1)
    .optional()
    .describe(
      'How speakers are marked at the start of a line: Label:, [Label], {Label}, #Label:, @Label:. Default: all',
    ),
  pattern: z.string().min(1).optional().describe('Instead of formats: a regular expression whose group 1 is the label'),
  speakers: z
    .record(z.string(), id('Code ID').nullable())
    .refine((speakers) => Object.keys(speakers).length <= speakersMax, `must not have more than ${speakersMax} labels`)
    .optional()
    .describe('By label: the code to use, whatever the number of turns, or null to leave the speaker out'),
  include_label: z.boolean().default(false).describe('Codes the label with the turn'),
  min_turns: z.int().min(1).default(2).describe('Speakers with fewer turns are left out'),
  category: z
    .string()
    .trim()
    .min(1)
    .default('Speakers')
    .describe('Of the codes that are made; made if it is not there'),
})

const data = z.object({
  speakers: z
    .array(
      z.object({
        label: z.string(),
        turns: z.int(),
        chars: z.int(),
        code_id: z.int().nullable().describe('null: a code is made'),
        sample: z.string().describe('How the first turn begins'),
      }),
    )
    .optional(),
  total_segments: z.int().optional().describe('A turn has several where timestamps cut it'),
  labels_not_found: z.array(z.string()).optional().describe('Of speakers'),
  codes_created: z.int().optional(),
  segments_created: z.int().optional(),
  skipped_existing: z.int().optional(),
  batch_id: z.string().nullable().optional().describe('The change_set_id'),
})

export function autoCodeSpeakerTool({ patterns, clock }: Pick<ToolParts, 'patterns' | 'clock'>): WriteTool {
  return rowsTool({
    name: 'auto_code_speaker',
    title: 'Code who speaks',
    description:
      'Codes the turns of each speaker of transcripts with a code of the speaker’s name. Without confirm it shows the speakers; then call again with confirm: true, and with speakers to choose codes or leave some out. undo_change_set takes a batch back.',
    input,
    data,
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: (given, call) => plan(given, call, { patterns, clock }),
    preview: (_, __, { speakers, segments, notFound }) => ({
      speakers: speakers.map(({ label, turns, characters, codeId, sample }) => ({
        label,
        turns,
        chars: characters,
        code_id: codeId,
        sample,
      })),
      total_segments: segments,
      labels_not_found: [...notFound],
    }),
    basis: (_, __, { sources, speakers }) => [
      sources.map(({ id, textHash }) => [id, textHash]),
      speakers.map(({ key, codeId }) => [key, codeId]),
    ],
    apply: (writer, { category }, _, { sources, speakers }) => {
      const codes = new SpeakerCodes(writer, category)
      const coded = speakers.map((speaker) => ({ key: speaker.key, codeId: codes.idOf(speaker) }))
      const coder = new PassageCoder(writer)
      for (const source of sources) {
        const index = requireSameText(writer.db, source)
        for (const { key, codeId } of coded) {
          const pieces = source.pieces.get(key)
          if (pieces !== undefined) coder.code(codeId, source.id, index, pieces)
        }
      }
      writer.summary = `${coder.coded} passages of ${speakers.length} speakers coded`
      return {
        codes_created: codes.created,
        segments_created: coder.coded,
        skipped_existing: coder.skipped,
        batch_id: writer.changeSetId,
      }
    },
  })
}

interface Plan {
  readonly sources: readonly SpokenSource[]
  readonly speakers: readonly CodedSpeaker[]
  /** Of these speakers. */
  readonly segments: number
  readonly notFound: readonly string[]
}

async function plan(
  given: z.output<typeof input>,
  { project: { db }, context: { signal } }: ProjectCall,
  { patterns, clock }: Pick<ToolParts, 'patterns' | 'clock'>,
): Promise<Plan> {
  const { pattern, formats, speakers: codes = {}, min_turns: minTurns, include_label: includeLabel } = given
  if (pattern !== undefined && formats !== undefined)
    throw new QdaFailure('INVALID_ARGUMENT', 'Give formats or pattern, and not both', { details: { path: 'pattern' } })
  requireCategoryName(given.category)
  for (const codeId of Object.values(codes)) if (codeId !== null) requireCode(db, codeId)
  const sources = chosenSources(db, { sourceIds: given.source_ids })
  const query = { sources, formats, pattern, includeLabel, signal }
  const found = await collectTurns(db, patterns, query, new TimeSlices(clock, signal))
  const speakers = withCodes(db, speakersOf(found.turns, { minTurns, codes }))
  const spoken = onlyOf(speakers, found.sources)
  const labels = new Set(found.turns.map(({ label }) => speakerKey(label)))
  return {
    sources: spoken,
    speakers,
    segments: requireFew(spoken),
    notFound: Object.keys(codes).filter((label) => !labels.has(speakerKey(label))),
  }
}

function requireCategoryName(category: string): void {
  const problem = nameProblem(category, { lengthMax: codeNameLengthMax, slashes: 'allowed' })
  if (problem !== undefined)
    throw new QdaFailure('CATEGORY_NOT_CREATED/INVALID_NAME', `The name of a category ${problem}`)
}

/** Sources in which none of the speakers says anything are left out. */
function onlyOf(speakers: readonly CodedSpeaker[], sources: readonly SpokenSource[]): readonly SpokenSource[] {
  const keys = new Set(speakers.map(({ key }) => key))
  return sources
    .map((source) => ({ ...source, pieces: new Map([...source.pieces].filter(([key]) => keys.has(key))) }))
    .filter(({ pieces }) => pieces.size > 0)
}

/** How many pieces there are. Throws INVALID_ARGUMENT for too many. */
function requireFew(sources: readonly SpokenSource[]): number {
  const pieces = sources.flatMap((source) => [...source.pieces.values()].flat())
  const units = pieces.reduce((sum, { start, end }) => sum + end - start, 0)
  requireFewPassages(pieces.length, units)
  return pieces.length
}
