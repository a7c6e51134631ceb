import { z } from 'zod'
import { tryOut } from '../approvals/affected.js'
import { addSuggestion } from '../approvals/suggestions.js'
import { QdaFailure } from '../failure.js'
import { suggestedCodingsMax, suggestedTextUnitsMax } from '../limits.js'
import { storedCodeName } from '../project/code-names.js'
import { requireCode } from '../project/codes.js'
import { requireSource } from '../project/sources.js'
import { TimeSlices } from '../project/time-slices.js'
import { SearchAllowance } from '../text/search-allowance.js'
import { textHash } from '../text/text-hash.js'
import type { TextIndex } from '../text/text-index.js'
import { applySuggestedCodingTool } from './apply-suggested-coding-tool.js'
import { failedRow } from './batch/apply-operations.js'
import { orFailure } from './batch/or-failure.js'
import { type Place, placeByPosition, placeByQuote, type QuotedPlace } from './batch/place-operation.js'
import { id } from './common-input.js'
import { type ProjectCall, rowsTool, type WriteTool } from './qda-tool.js'
import { parseItem, type SuggestedItem, suggestedItemSchema } from './suggest-codings-items.js'
import type { ToolParts } from './tool-parts.js'

const rowData = z.object({
  index: z.int(),
  success: z.boolean(),
  suggestion_id: z.string().optional(),
  code_id: z.int().optional(),
  new_code: z.string().optional(),
  start_position: z.int().optional(),
  end_position: z.int().optional(),
  selected_text: z.string().optional(),
  matched: z.enum(['exact', 'folded', 'fuzzy']).optional(),
  relocated: z.literal(true).optional(),
  error: z.string().optional(),
  error_code: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
})

/** An item with where it is, in a text of that hash. */
interface PlacedItem {
  readonly item: SuggestedItem
  readonly place: Place | QuotedPlace
  readonly text: string
  readonly hash: string
}

export function suggestCodingsTool({ clock, effects }: Pick<ToolParts, 'clock' | 'effects'>): WriteTool {
  const hidden = applySuggestedCodingTool()
  return rowsTool({
    name: 'suggest_codings',
    title: 'Suggest codings',
    description: `Puts up to ${suggestedCodingsMax} codings of one source before a person, each a suggestion of its own: a quote (or positions), a code that there is or the name of a new one, and why. Nothing is coded until somebody approves; get_suggestion tells what became of it.`,
    input: z.object({
      source_id: id('Source ID'),
      items: z.array(suggestedItemSchema).min(1).max(suggestedCodingsMax),
    }),
    data: z.object({
      source_id: z.int(),
      total: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      results: z.array(rowData),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: async ({ source_id: sourceId, items }, { project, context }) => {
      requireSource(project.db, sourceId)
      const slices = new TimeSlices(clock, context.signal)
      const allowance = new SearchAllowance()
      const placed: (PlacedItem | QdaFailure)[] = []
      for (const given of items) {
        const text = project.texts.get(sourceId)
        placed.push(orFailure(() => placeItem(parseItem(given, sourceId), text, allowance)))
        await slices.pause()
      }
      return placed
    },
    apply: (_, { source_id }, call, placed) => {
      const results = placed.map((item, index) => {
        const made = item instanceof QdaFailure ? item : orFailure(() => suggest(hidden, item, call))
        return made instanceof QdaFailure ? failedRow(index, made) : { index, success: true, ...made }
      })
      const failed = results.filter(({ success }) => !success).length
      const data = { source_id, total: results.length, succeeded: results.length - failed, failed, results }
      if (failed === results.length) throw allFailed(data)
      return { ...data, status: 'pending_approval', requires_approval: true as const }
    },
    afterwards: ({ project }) => effects.mirror(project),
  })
}

function placeItem(item: SuggestedItem, index: TextIndex | undefined, allowance: SearchAllowance): PlacedItem {
  if (index === undefined) throw new QdaFailure('SOURCE_NOT_FOUND', 'The source is gone')
  const { operation, newCode } = item
  if (newCode !== undefined) storedCodeName(newCode, 'CODE_NOT_CREATED/INVALID_NAME')
  const hash = textHash(index.text)
  if (operation.textHash !== undefined && operation.textHash.toLowerCase() !== hash)
    throw new QdaFailure('TEXT_CHANGED', 'The text of the source is another one now; read it again', {
      details: { text_hash: hash },
    })
  const place =
    operation.quote === undefined ? placeByPosition(index, operation) : placeByQuote(index, operation, allowance)
  const text = index.slice(place.start, place.end)
  if (text.length <= suggestedTextUnitsMax) return { item, place, text, hash }
  throw new QdaFailure(
    'INVALID_OPERATION',
    `The passage is longer than ${suggestedTextUnitsMax} characters: nobody reads that before deciding`,
  )
}

/** Throws what the coding itself would fail with, and QUEUE_FULL. */
function suggest(hidden: WriteTool, { item, place, text, hash }: PlacedItem, call: ProjectCall) {
  const { operation, newCode, rationale, confidence } = item
  const { memo, importance } = operation
  const codeName = newCode ?? requireCode(call.project.db, operation.codeId).name
  const code = newCode === undefined ? { code_id: operation.codeId } : { new_code: newCode }
  const payload = {
    source_id: operation.sourceId,
    ...code,
    start_position: place.start,
    end_position: place.end,
    quote: text,
    text_hash: hash,
    ...(memo !== undefined && { memo }),
    ...(importance !== undefined && { importance }),
    ...(confidence !== undefined && { confidence }),
  }
  const about = {
    code_name: codeName,
    source_name: requireSource(call.project.db, operation.sourceId).name,
    message: `Code '${codeName}' on: ${text}`,
  }
  const fingerprint = tryOut({ tool: hidden, input: payload, call, prepared: undefined }).affectedHash
  const proposed = { kind: 'coding', tool: hidden.name, payload, fingerprint, rationale, about }
  const suggestion = addSuggestion(call.project.db, proposed, call.actor.name, call.now)
  return {
    suggestion_id: suggestion.id,
    ...code,
    start_position: place.start,
    end_position: place.end,
    selected_text: text,
    ...('matched' in place && { matched: place.matched, ...(place.relocated && { relocated: true as const }) }),
  }
}

/** With the first item's reason, which most often is that of all. */
function allFailed(data: { readonly results: readonly object[] }): QdaFailure {
  const [first] = data.results as readonly { readonly error: string; readonly error_code: QdaFailure['code'] }[]
  return new QdaFailure(first!.error_code, `No item could be suggested; the first: ${first!.error}`, { data })
}
