import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { allMeta, sourceStatuses } from '../project/source-meta.js'
import { innerPath, type MeasuredSource, measuredSources, sourceType, sourceTypes } from '../project/sources.js'
import { publicPart } from '../text/private-memo.js'
import { type QdaTool, readTool } from './qda-tool.js'

export function listSourcesTool(): QdaTool {
  return readTool({
    name: 'list_sources',
    title: 'Sources',
    description:
      'The sources of the project, by name, with what is known of each. read_source_content reads a text; list_segments_for_source lists its codings.',
    input: z.object({ source_type: z.enum(sourceTypes).optional().describe('Only these') }),
    data: z.object({
      count: z.int(),
      sources: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          type: z.enum(sourceTypes),
          status: z.enum(sourceStatuses),
          memo: z.string().nullable(),
          origin: z.string().nullable(),
          folder_id: z.int().nullable().describe('null: at the root'),
          file_size: z.int().nullable().describe('Bytes; null: of a linked or missing file'),
          total_length: z.int().describe('Code points of its text'),
          code_count: z.int().describe('Codings in it'),
          transcript_source_id: z.int().nullable(),
        }),
      ),
    }),
    read: async ({ source_type }, { project: { db, path } }) => {
      const meta = allMeta(db)
      const found = measuredSources(db).filter(
        ({ mediapath }) => source_type === undefined || sourceType(mediapath) === source_type,
      )
      const sources = found.map((source) => {
        const { status, origin, folder_id } = meta(source)
        return { source, status, origin, folder_id }
      })
      return {
        count: found.length,
        sources: await Promise.all(
          sources.map(async ({ source, status, origin, folder_id }) => ({
            id: source.id,
            name: source.name,
            type: sourceType(source.mediapath),
            status,
            memo: publicPart(source.memo),
            origin,
            folder_id,
            file_size: await fileSize(path, source),
            total_length: source.length,
            code_count: source.codings,
            transcript_source_id: source.av_text_id,
          })),
        ),
      }
    },
  })
}

/** Of a text, its own; of media, their file's, unless that is elsewhere: a link in the folder leads out of it, too. */
async function fileSize(project: string, { mediapath, bytes }: MeasuredSource): Promise<number | null> {
  if (sourceType(mediapath) === 'text') return bytes
  const file = innerPath(mediapath)
  if (file === undefined) return null
  try {
    const found = await lstat(join(project, file))
    return found.isFile() ? found.size : null
  } catch {
    return null
  }
}
