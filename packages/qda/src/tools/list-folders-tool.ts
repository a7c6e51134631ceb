import { z } from 'zod'
import { allFolders, sourceCounts } from '../project/folders.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listFoldersTool(): QdaTool {
  return readTool({
    name: 'list_folders',
    title: 'Folders',
    description:
      'The folders that sources are sorted into, parents before children. list_sources tells in which folder each source is.',
    input: z.object({}),
    data: z.object({
      total_count: z.int(),
      folders: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          parent_id: z.int().nullable().describe('null: at the root'),
          source_count: z.int().describe('Directly in it'),
        }),
      ),
    }),
    isFlat: true,
    read: (_, { project: { db } }) => {
      const counts = sourceCounts(db)
      const folders = allFolders(db).map(({ id, name, parent_id }) => ({
        ...{ id, name, parent_id },
        source_count: counts.get(id) ?? 0,
      }))
      return { total_count: folders.length, folders }
    },
  })
}
