import { z } from 'zod'
import { failureOf } from './bluesky-failure.js'
import { postCollection } from './identifiers.js'
import type { Pds } from './pds.js'
import { contentId, recordUri } from './post-view.js'

const storedRecord = z.object({ uri: recordUri, cid: contentId, value: z.unknown() })

export type StoredRecord = z.output<typeof storedRecord>

/** A record as the account's server has it, which is the truth as soon as it is stored; undefined when there is none. */
export async function recordAt(
  pds: Pds,
  place: { readonly repo: string; readonly rkey: string; readonly collection?: string },
  now: number,
  signal?: AbortSignal,
): Promise<StoredRecord | undefined> {
  const { repo, rkey, collection = postCollection } = place
  const answer = await pds.read({ method: 'com.atproto.repo.getRecord', query: { repo, collection, rkey } }, signal)
  if (answer.status === 400 && answer.error === 'RecordNotFound') return undefined
  if (answer.status !== 200) throw failureOf(answer, pds.host, 'read a post', now)
  return pds.parse(answer, storedRecord, 'read a post')
}
