import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { findFolder, folderName } from '../project/folders.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function createFolderTool(): WriteTool {
  return rowsTool({
    name: 'create_folder',
    title: 'Create a folder',
    description:
      'Creates a folder for sources; move_source_to_folder fills it. Folders beside each other have different names, whatever their case.',
    input: z.object({
      name: z.string().describe('1 to 255 characters, no / or \\'),
      parent_id: id('The folder that it goes into; 0, null or absent: the root').nullish(),
    }),
    data: z.object({ folder_id: z.int(), name: z.string(), parent_id: z.int().nullable() }),
    isFlat: true,
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: ({ parent_id }, { project }) => {
      requireParent(project.db, parent_id || null)
    },
    apply: (writer, { name: given, parent_id: parent }) => {
      const parent_id = parent || null
      requireParent(writer.db, parent_id)
      const name = folderName(writer.db, given, { parent_id }, 'FOLDER_NOT_CREATED')
      const folderId = writer.insert('folder', { name, parent_id, created_at: writer.act.now })
      writer.summary = `Created folder '${name}'`
      return { folder_id: Number(folderId), name, parent_id }
    },
  })
}

function requireParent(db: ProjectDatabase, id: number | null): void {
  if (id === null || findFolder(db, id) !== undefined) return
  throw new QdaFailure('FOLDER_NOT_CREATED/PARENT_NOT_FOUND', `There is no folder ${id} to create one in`, {
    details: { parent_id: id },
    suggestions: ['list_folders shows the folders there are.'],
  })
}
