import { pathPart } from '../../http/request-url.js'
import type { ToolCall } from '../forum-tool.js'
import { type StoredDraft, storedDraftOf } from './draft-data.js'

/** What the forum has stored under that key now. */
export async function readDraft(key: string, { client, scope }: ToolCall): Promise<StoredDraft> {
  return storedDraftOf(await client.get(`/drafts/${pathPart(key)}.json`, [], scope))
}
