import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { issuesListedMax, wholeProjectMs } from '../limits.js'
import { Findings } from '../project/findings.js'
import { type FoundCoding, placedCodings } from '../project/findings-of-codings.js'
import { missingFiles } from '../project/findings-of-files.js'
import { cycles, danglingRows, nameClashes } from '../project/findings-of-rows.js'
import { TimeSlices } from '../project/time-slices.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function verifyProjectTool({ clock }: Pick<Foundation, 'clock'>): QdaTool {
  return readTool({
    name: 'verify_project',
    title: 'Check the project',
    description: `Looks for codings whose text is not where they say, rows that name what is not there, hierarchies that go in circles, missing files, and names that differ only in case. Lists the first ${issuesListedMax}. repair_positions mends coding_utf16 and coding_shifted.`,
    input: z.object({}),
    data: z.object({
      ok: z.boolean(),
      total_count: z.int(),
      counts: z.record(z.string(), z.int()).describe('By kind'),
      issues: z.array(
        z.object({
          kind: z.string(),
          table: z.string(),
          row_id: z.int().nullable(),
          message: z.string(),
        }),
      ),
      truncated: z.boolean().describe('Whether there are more issues than are listed'),
    }),
    timeoutMs: wholeProjectMs,
    read: async (_, { project, context }) => {
      const slices = new TimeSlices(clock, context.signal)
      const findings = new Findings()
      for (const group of danglingRows(project.db)) {
        for (const finding of group) findings.add(finding)
        await slices.pause()
      }
      for (const finding of [...cycles(project.db), ...nameClashes(project.db)]) findings.add(finding)
      for await (const finding of missingFiles(project, slices)) findings.add(finding)
      for await (const group of placedCodings(project, slices)) for (const found of group) addCoding(findings, found)
      const { total, counts, issues } = findings
      return { ok: total === 0, total_count: total, counts, issues, truncated: total > issues.length }
    },
  })
}

function addCoding(findings: Findings, { coding, placed }: FoundCoding): void {
  const { verified, start, end } = placed
  if (verified === 'exact') return
  const { id, fid, pos0, pos1 } = coding
  const stored = `Coding ${id} of source ${fid} is stored at [${pos0}:${pos1}]`
  const message = {
    utf16: `${stored}, counted in UTF-16 units; in code points it is [${start}:${end}]`,
    shifted: `${stored}, but its text stands at [${start}:${end}]`,
    broken: `${stored}, where its text does not stand, nor nearby`,
  }[verified]
  findings.add({ kind: `coding_${verified}`, table: 'code_text', row_id: id, message })
}
