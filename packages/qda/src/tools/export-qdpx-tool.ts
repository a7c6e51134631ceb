import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { exchangeOrigin } from '../exchange/exchange-origin.js'
import { exportContext } from '../exchange/export-context.js'
import { type ExportedProject, exportProject } from '../exchange/export-project.js'
import { exportTarget } from '../format/project-path.js'
import { exchangeMs, pathLengthMax } from '../limits.js'
import { TimeSlices } from '../project/time-slices.js'
import { LossList } from '../refi/loss-list.js'
import { writePackage } from '../refi/write-package.js'
import { qdeText } from '../refi/write-qde.js'
import { lossData, lossesOf } from './exchange-data.js'
import { operationTool, type ProjectCall } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function exportQdpxTool({ config, clock }: Pick<ToolParts, 'config' | 'clock'>) {
  return operationTool({
    name: 'export_qdpx',
    title: 'Export the project',
    description:
      'Writes the open project as a REFI-QDA package (.qdpx), which ATLAS.ti, MAXQDA, NVivo and others read. Private parts of memos and hidden coders stay out. Read losses: not all that QualCoder knows has a place there.',
    input: z.object({
      path: z.string().min(1).max(pathLengthMax).describe('Absolute path of the .qdpx file to write'),
      line_endings: z
        .enum(['lf', 'crlf'])
        .default('lf')
        .describe('Of the texts. crlf for MAXQDA; positions count one for each line end either way'),
      include_media: z
        .boolean()
        .default(true)
        .describe('Whether pictures, recordings and documents go along; otherwise they are named'),
      overwrite: z.boolean().default(false).describe('Whether a file that is there may be replaced'),
    }),
    data: z.object({
      path: z.string(),
      bytes: z.int().nullable(),
      counts: z.record(z.string(), z.int()),
      ...lossData,
    }),
    marks: { destructiveHint: true, idempotentHint: true },
    changesProject: false,
    timeoutMs: exchangeMs,
    prepare: ({ path, overwrite }) => exportTarget(path, { roots: config.roots, extensions: ['.qdpx'], overwrite }),
    operate: async ({ line_endings, include_media, overwrite }, call, path, isDryRun) => {
      const { signal } = call.context
      const slices = new TimeSlices(clock, signal)
      const losses = new LossList()
      const parts = { project: call.project, losses, slices }
      const options = { includeMedia: include_media, includeHidden: call.actor.isOperator }
      const exported = await exportProject(exportContext({ ...parts, ...options }), exchangeOrigin)
      const written = isDryRun
        ? await writtenNowhere(exported, slices)
        : await writePackage({
            ...{ ...filesOf(exported, call), path, overwrite, signal },
            ...{ project: exported.project, lineEnds: line_endings, writtenAt: new Date(call.now) },
          })
      const bytes = isDryRun ? null : (await stat(path)).size
      return { path, bytes, counts: { ...exported.counts() }, ...lossesOf(losses, written) }
    },
  })
}

/** With word of how far it is. */
function filesOf({ project, media, readText }: ExportedProject, { context }: ProjectCall) {
  const total = project.sources.length + project.notes.length
  let done = 0
  return {
    readText: (fileName: string) => {
      done += 1
      if (done % 10 === 0) context.progress(done, total, 'texts written')
      return readText(fileName)
    },
    openFile: (fileName: string) => media.open(fileName),
  }
}

/** For what the document can't hold. */
async function writtenNowhere({ project }: ExportedProject, slices: TimeSlices): Promise<LossList> {
  const losses = new LossList()
  for (const _ of qdeText(project, losses)) await slices.pause()
  return losses
}
