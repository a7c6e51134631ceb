import { z } from 'zod'
import { folderName, requireFolder } from '../project/folders.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function renameFolderTool(): WriteTool {
  return rowsTool({
    name: 'rename_folder',
    title: 'Rename a folder',
    description: 'Gives a folder another name, which no folder beside it may have, whatever its case.',
    input: z.object({
      folder_id: id('Of list_folders'),
      new_name: z.string().describe('1 to 255 characters, no / or \\'),
    }),
    data: z.object({ folder_id: z.int(), name: z.string(), changed: z.boolean() }),
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: ({ folder_id }, { project }) => requireFolder(project.db, folder_id),
    apply: (writer, { folder_id, new_name }) => {
      const folder = requireFolder(writer.db, folder_id)
      const name = folderName(writer.db, new_name, folder, 'FOLDER_NOT_RENAMED')
      const changed = writer.update('folder', folder_id, { name })
      writer.summary = `Renamed folder '${folder.name}' to '${name}'`
      return { folder_id, name, changed }
    },
  })
}
