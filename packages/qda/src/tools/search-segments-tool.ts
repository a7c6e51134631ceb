import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { codingsPerSliceMax, segmentsListedMax } from '../limits.js'
import { expressionOf } from '../patterns/expression.js'
import { visible } from '../project/coders.js'
import { type Coding, selectCodings } from '../project/codings.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { SegmentReader, segmentData, textIn } from '../project/segments.js'
import { readCursor, writeCursor } from '../project/segments-cursor.js'
import { TimeSlices } from '../project/time-slices.js'
import { publicPart } from '../text/private-memo.js'
import { id } from './common-input.js'
import { segmentsCursor } from './list-segments-for-source-tool.js'
import { type QdaTool, readTool } from './qda-tool.js'

const fields = z.enum(['text', 'memo'])
type Field = z.output<typeof fields>

export function searchSegmentsTool({ clock }: Pick<Foundation, 'clock'>): QdaTool {
  return readTool({
    name: 'search_segments',
    title: 'Search coded segments',
    description:
      'Looks for words in what is coded and in the memos of codings, not in the rest of the texts: that is search_text.',
    input: z.object({
      pattern: z.string().min(1),
      match: z.enum(['literal', 'word']).default('literal').describe('word: not as a part of a longer word'),
      case_sensitive: z.boolean().default(false),
      fields: z.array(fields).min(1).max(2).default(['text', 'memo']),
      code_ids: z.array(id('Code ID')).min(1).max(segmentsListedMax).optional(),
      source_ids: z.array(id('Source ID')).min(1).max(segmentsListedMax).optional(),
      limit: z.int().min(1).max(segmentsListedMax).default(100),
      cursor: segmentsCursor,
    }),
    data: z.object({
      total_count: z.int(),
      segments: z.array(segmentData.extend({ matched_in: z.array(fields) })),
      next_cursor: z.string().nullable(),
    }),
    read: async (input, { project, context }) => {
      const { cursor, limit, fields: among } = input
      const [after] = cursor === undefined ? [0] : readCursor(cursor, 1)
      const slices = new TimeSlices(clock, context.signal)
      const expression = tester(input)
      const reader = new SegmentReader(project)
      const segments: z.input<typeof segmentData & z.ZodObject<{ matched_in: z.ZodArray<typeof fields> }>>[] = []
      let total = 0
      for await (const rows of pages(project.db, input, slices))
        for (const coding of rows) {
          const matched = matchedIn(coding, among, expression)
          if (matched.length === 0) continue
          total += 1
          // One more than the page shows whether there is another page.
          if (coding.id > after! && segments.length <= limit)
            segments.push({ ...reader.segment(coding), matched_in: matched })
        }
      const shown = segments.slice(0, limit)
      const hasMore = segments.length > limit
      return { total_count: total, segments: shown, next_cursor: hasMore ? writeCursor([shown.at(-1)!.id]) : null }
    },
  })
}

interface Asked {
  readonly code_ids?: readonly number[] | undefined
  readonly source_ids?: readonly number[] | undefined
}

/** By id, some at a time. */
async function* pages(db: ProjectDatabase, asked: Asked, slices: TimeSlices): AsyncGenerator<readonly Coding[]> {
  for (let after = 0; ; ) {
    const rows = page(db, asked, after)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)!.id
    await slices.pause()
  }
}

function page(db: ProjectDatabase, { code_ids: codes, source_ids: sources }: Asked, after: number): readonly Coding[] {
  const key = db.has('code_text', 'ctid') ? 'ctid' : 'rowid'
  const conditions = [
    visible(db, 't'),
    `t.${key} > ?`,
    ...(codes === undefined ? [] : ['t.cid IN (SELECT value FROM json_each(?))']),
    ...(sources === undefined ? [] : ['t.fid IN (SELECT value FROM json_each(?))']),
  ]
  const values = [codes, sources].flatMap((ids) => (ids === undefined ? [] : [JSON.stringify(ids)]))
  return db.all<Coding>(
    `${selectCodings(db)} WHERE ${conditions.join(' AND ')} ORDER BY t.${key} LIMIT ?`,
    ...[after, ...values, codingsPerSliceMax],
  )
}

function matchedIn({ seltext, memo }: Coding, among: readonly Field[], expression: RegExp): Field[] {
  const texts: Record<Field, string | null> = { text: textIn(seltext), memo: publicPart(textIn(memo)) }
  return [...new Set(among)].filter((field) => texts[field] !== null && expression.test(texts[field]))
}

/** A text or a word, so that nothing takes long. */
function tester(asked: {
  readonly pattern: string
  readonly match: 'literal' | 'word'
  readonly case_sensitive: boolean
}) {
  const { source, flags } = expressionOf({ ...asked, caseSensitive: asked.case_sensitive })
  return new RegExp(source, flags.replace('g', ''))
}
