import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { allFolders, requireFolder, sourceCounts } from '../project/folders.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function deleteFolderTool(): WriteTool {
  return rowsTool({
    name: 'delete_folder',
    title: 'Delete a folder',
    description: 'Deletes a folder that has no sources and no folders in it; move_source_to_folder empties it.',
    input: z.object({ folder_id: id('Of list_folders') }),
    data: z.object({ folder_id: z.int(), name: z.string() }),
    isFlat: true,
    marks: { destructiveHint: true, idempotentHint: true },
    prepare: ({ folder_id }, { project }) => requireFolder(project.db, folder_id),
    apply: (writer, { folder_id }) => {
      const { name } = requireFolder(writer.db, folder_id)
      requireEmpty(writer.db, folder_id, name)
      writer.delete('folder', folder_id)
      writer.summary = `Deleted folder '${name}'`
      return { folder_id, name }
    },
  })
}

function requireEmpty(db: ProjectDatabase, id: number, name: string): void {
  const sources = sourceCounts(db).get(id) ?? 0
  if (sources > 0)
    throw new QdaFailure('FOLDER_NOT_DELETED/HAS_SOURCES', `Folder '${name}' contains ${sources} source(s)`, {
      details: { folder_id: id, source_count: sources },
      suggestions: ['Move its sources elsewhere with move_source_to_folder.'],
    })
  const folders = allFolders(db).filter(({ parent_id }) => parent_id === id)
  if (folders.length > 0)
    throw new QdaFailure('FOLDER_NOT_DELETED/HAS_SUBFOLDERS', `Folder '${name}' contains ${folders.length} folder(s)`, {
      details: { folder_id: id, folder_ids: folders.map((folder) => folder.id) },
      suggestions: ['Delete the folders in it first.'],
    })
}
