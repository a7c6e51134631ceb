import { z } from 'zod'
import { requireFolder } from '../project/folders.js'
import { metaOf, setMeta } from '../project/source-meta.js'
import { requireSource } from '../project/sources.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function moveSourceToFolderTool(): WriteTool {
  return rowsTool({
    name: 'move_source_to_folder',
    title: 'Move a source to a folder',
    description: 'Puts a source into a folder, or back to the root. Its text and codings stay as they are.',
    input: z.object({
      source_id: id('Of list_sources'),
      folder_id: id('Of list_folders; 0, null or absent: the root').nullish(),
    }),
    data: z.object({
      source_id: z.int(),
      old_folder_id: z.int().nullable(),
      new_folder_id: z.int().nullable(),
    }),
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: ({ source_id, folder_id }, { project: { db } }) => {
      requireSource(db, source_id)
      if (folder_id) requireFolder(db, folder_id)
    },
    apply: (writer, { source_id, folder_id }) => {
      const source = requireSource(writer.db, source_id)
      const target = folder_id ? requireFolder(writer.db, folder_id) : null
      const { folder_id: old } = metaOf(writer.db, source)
      const to = target?.id ?? null
      if (to !== old) setMeta(writer, source, { folder_id: to })
      writer.summary = `Moved source '${source.name}' to ${target === null ? 'the root' : `folder '${target.name}'`}`
      return { source_id, old_folder_id: old, new_folder_id: to }
    },
  })
}
