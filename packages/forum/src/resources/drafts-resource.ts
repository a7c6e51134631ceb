import { cutText } from '../json/cut-text.js'
import { idAt, integerAt, isRecord, type JsonRecord, textAt } from '../json/read-json.js'
import { requireRecords } from '../json/require-records.js'
import { draftPreviewLengthMax, draftsPerPage } from '../limits.js'
import type { ForumResource } from './forum-resource.js'
import { listMeta, readPages } from './read-pages.js'

/** Every draft of the reader. */
export const draftsResource: ForumResource = {
  uri: 'discourse://user/drafts',
  name: 'user_drafts',
  title: 'My drafts',
  description:
    'The drafts of the user as whom the selected forum is read: {drafts:[{draft_key,sequence,title,category_id,created_at,' +
    'reply_preview}],meta:{total}}; discourse_get_draft reads the whole of one. Needs a key.',
  needsCredential: true,
  async read({ client, scope }) {
    const { rows, isComplete } = await readPages(
      async (number) => {
        const offset = number * draftsPerPage
        const query = [['limit', draftsPerPage] as const, ['offset', offset] as const]
        const page = requireRecords(await client.get('/drafts.json', query, scope), 'drafts', '/drafts.json')
        return { rows: page, isLast: page.length < draftsPerPage }
      },
      (row) => row['draft_key'],
    )
    const drafts = rows.map(draftOf)
    return { drafts, meta: listMeta(drafts.length, isComplete) }
  },
}

/** A topic that does not exist yet has its title and category in the draft's own data. */
function draftOf(row: JsonRecord) {
  const data = parsedData(row['data'])
  return {
    draft_key: textAt(row, 'draft_key') ?? '',
    sequence: integerAt(row, 'sequence') ?? integerAt(row, 'draft_sequence') ?? null,
    title: textAt(row, 'title') || textAt(data, 'title') || null,
    category_id: idAt(row, 'category_id') ?? idAt(data, 'categoryId') ?? null,
    created_at: textAt(row, 'created_at') ?? null,
    reply_preview: previewOf(textAt(data, 'reply') ?? ''),
  }
}

function parsedData(data: unknown): JsonRecord {
  if (isRecord(data)) return data
  if (typeof data !== 'string') return {}
  try {
    const parsed: unknown = JSON.parse(data)
    return isRecord(parsed) ? parsed : {}
  } catch {
    // Whatever it is, its key can still be listed.
    return {}
  }
}

function previewOf(reply: string): string {
  const { text, isCut } = cutText(reply, draftPreviewLengthMax)
  return isCut ? `${text}...` : text
}
