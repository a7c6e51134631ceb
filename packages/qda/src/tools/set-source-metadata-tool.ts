import { z } from 'zod'
import { languageLengthMax, organizationLengthMax, topicLengthMax, topicsMax } from '../limits.js'
import { setMeta } from '../project/source-meta.js'
import { requireSource } from '../project/sources.js'
import { textBasis } from '../project/text-basis.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'
import { setFileAttribute } from './set-source-metadata-attribute.js'

export const sourceMetadataInput = {
  source_id: id('Source ID'),
  language: z.string().trim().min(1).max(languageLengthMax).optional().describe("e.g., 'en', 'es'"),
  topics: z.array(z.string().trim().min(1).max(topicLengthMax)).min(1).max(topicsMax).optional(),
  organization_suggestion: z
    .string()
    .trim()
    .min(1)
    .max(organizationLengthMax)
    .optional()
    .describe('Where it belongs among the sources'),
}

/**
 * What an approved suggest_source_metadata does. Where a source belongs is a word of advice: it stays in the record of the
 * suggestion, unless it becomes an attribute.
 */
export function setSourceMetadataTool(): WriteTool {
  return rowsTool({
    name: 'set_source_metadata',
    title: "Set a source's metadata",
    description: 'Sets language and topics of a source.',
    input: z.object({ ...sourceMetadataInput, as_attributes: z.boolean().default(false) }),
    data: z.object({
      source_id: z.int(),
      language: z.string().optional(),
      topics: z.array(z.string()).optional(),
      organization_suggestion: z.string().optional(),
      attributes: z.array(z.string()).describe("QualCoder's file attributes that were set"),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    basis: ({ source_id }, { project }) => textBasis(project, source_id),
    apply: (writer, { source_id, language, topics, organization_suggestion, as_attributes: asAttributes }) => {
      const source = requireSource(writer.db, source_id)
      const meta = { ...(language !== undefined && { language }), ...(topics !== undefined && { topics }) }
      if (Object.keys(meta).length > 0) setMeta(writer, source, meta)
      const values = { Language: language, Topics: topics?.join('; '), Organization: organization_suggestion }
      const attributes = Object.entries(values).flatMap(([name, value]) =>
        asAttributes && value !== undefined ? [setFileAttribute(writer, source_id, name, value)] : [],
      )
      writer.summary = `Set metadata of source '${source.name}'`
      return {
        source_id,
        ...meta,
        ...(organization_suggestion !== undefined && { organization_suggestion }),
        attributes,
      }
    },
  })
}
