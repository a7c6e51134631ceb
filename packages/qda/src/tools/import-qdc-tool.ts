import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { importCodes } from '../exchange/import-codes.js'
import { importContext } from '../exchange/import-context.js'
import { importFile } from '../format/project-path.js'
import { exchangeMs, pathLengthMax } from '../limits.js'
import { LossList } from '../refi/loss-list.js'
import { readQdc } from '../refi/read-qdc.js'
import { importData, importedData } from './import-data.js'
import { rowsTool, type WriteTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function importQdcTool({ config }: Pick<ToolParts, 'config'>): WriteTool {
  return rowsTool({
    name: 'import_qdc',
    title: 'Import codes',
    description:
      'Adds the codes of a REFI-QDA codebook (.qdc) to the open project: shows first what it would do, and does it with confirm. A code whose name is there already, whatever its case, is joined with that one, which stays as it is.',
    input: z.object({ path: z.string().min(1).max(pathLengthMax).describe('Absolute path of the .qdc file') }),
    data: z.object(importData),
    marks: { destructiveHint: false, idempotentHint: false },
    level: 'T3',
    needsConfirm: () => true,
    timeoutMs: exchangeMs,
    prepare: async ({ path: given }, { context: { signal } }) => {
      const path = await importFile(given, config.roots, ['.qdc', '.xml'])
      const { size, mtimeMs } = await stat(path)
      const { codebook, losses } = await readQdc(createReadStream(path, { signal }))
      return { codebook, found: losses, file: { size, mtimeMs } }
    },
    basis: (_, __, { file }) => file,
    apply: (writer, _, __, { codebook, found }) => {
      const losses = LossList.copyOf(found)
      const context = importContext(writer, losses, [])
      importCodes(context, codebook.codes, new Set())
      for (const { guid, name } of codebook.sets) losses.add('Set', guid, `all of the set "${name.slice(0, 100)}"`)
      const { codes, categories } = context.counts.created
      writer.summary = `Imported ${codes} codes and ${categories} categories`
      return importedData(context.counts, losses)
    },
  })
}
