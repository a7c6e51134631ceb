import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { exchangeOrigin } from '../exchange/exchange-origin.js'
import { exportCodes } from '../exchange/export-codes.js'
import { ExportGuids } from '../exchange/export-guids.js'
import { exportTarget } from '../format/project-path.js'
import { exchangeMs, pathLengthMax } from '../limits.js'
import { LossList } from '../refi/loss-list.js'
import { writeQdc } from '../refi/write-qdc.js'
import { lossData, lossesOf } from './exchange-data.js'
import { operationTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function exportQdcTool({ config }: Pick<ToolParts, 'config'>) {
  return operationTool({
    name: 'export_qdc',
    title: 'Export the codes',
    description:
      'Writes the codes and categories of the open project as a REFI-QDA codebook (.qdc), which other programs read. Codings stay out: export_qdpx has them.',
    input: z.object({
      path: z.string().min(1).max(pathLengthMax).describe('Absolute path of the .qdc file to write'),
      overwrite: z.boolean().default(false).describe('Whether a file that is there may be replaced'),
    }),
    data: z.object({
      path: z.string(),
      bytes: z.int().nullable(),
      counts: z.object({ categories: z.int(), codes: z.int() }),
      ...lossData,
    }),
    marks: { destructiveHint: true, idempotentHint: true },
    changesProject: false,
    timeoutMs: exchangeMs,
    prepare: ({ path, overwrite }) => exportTarget(path, { roots: config.roots, extensions: ['.qdc'], overwrite }),
    operate: async ({ overwrite }, { project, context }, path, isDryRun) => {
      const losses = new LossList()
      const { codes, codeCount, categoryCount } = exportCodes({ project, losses, guids: new ExportGuids(project) })
      const codebook = { origin: exchangeOrigin, codes, sets: [] }
      const written = isDryRun ? new LossList() : await writeQdc({ path, overwrite, signal: context.signal }, codebook)
      const bytes = isDryRun ? null : (await stat(path)).size
      return { path, bytes, counts: { categories: categoryCount, codes: codeCount }, ...lossesOf(losses, written) }
    },
  })
}
