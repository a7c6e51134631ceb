import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { repairedMax, wholeProjectMs } from '../limits.js'
import { placeById, placedCodings } from '../project/findings-of-codings.js'
import { TimeSlices } from '../project/time-slices.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'
import { Candidates, Repair } from './repair-positions-rows.js'

const range = z.object({ start_position: z.number().nullable(), end_position: z.number().nullable() })
const ids = (what: string) => z.array(id('Id')).min(1).max(repairedMax).optional().describe(what)

export function repairPositionsTool({ clock }: Pick<Foundation, 'clock'>): WriteTool {
  return rowsTool({
    name: 'repair_positions',
    title: 'Correct stored positions',
    description: `Stores codings that verify_project calls coding_utf16 or coding_shifted at the code points where their text stands; broken ones stay as they are. A person decides. Up to ${repairedMax} at once; remaining tells how many are left.`,
    input: z.object({
      segment_ids: ids('Only these segments'),
      source_ids: ids('Only segments of these sources'),
    }),
    data: z.object({
      repaired: z.array(
        z.object({ segment_id: z.int(), verified: z.enum(['utf16', 'shifted']), old: range, new: range }),
      ),
      skipped: z.array(z.object({ segment_id: z.int(), reason: z.string() })).describe(`The first ${repairedMax}`),
      skipped_count: z.int(),
      remaining: z.int(),
    }),
    level: 'T4',
    marks: { destructiveHint: true, idempotentHint: true },
    timeoutMs: wholeProjectMs,
    prepare: async ({ segment_ids: segmentIds, source_ids: sourceIds }, { project, context }): Promise<Candidates> => {
      const slices = new TimeSlices(clock, context.signal)
      const candidates = new Candidates()
      for await (const group of placedCodings(project, slices, { segmentIds, sourceIds }))
        for (const found of group) candidates.add(found)
      return candidates
    },
    basis: (_, __, { places }) => places,
    apply: (writer, _, { project }, { places, broken, brokenCount, remaining }) => {
      const repair = new Repair(writer)
      const byId = new Map(places.map(([segment, start, end]) => [segment, `${start}:${end}`]))
      // What is elsewhere by now waits for the next call.
      const found = placeById(project, [...byId.keys()]).filter(
        ({ coding, placed }) => byId.get(coding.id) === `${placed.start}:${placed.end}`,
      )
      repair.all(found)
      for (const segment of broken) repair.skip(segment, 'its text was not found where it is stored, nor nearby')
      const { repaired, skipped } = repair
      writer.summary = `Corrected the positions of ${repaired.length} segments`
      const skippedCount = skipped.length - broken.length + brokenCount
      return { repaired, skipped: skipped.slice(0, repairedMax), skipped_count: skippedCount, remaining }
    },
  })
}
