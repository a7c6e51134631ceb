import { z } from 'zod'
import { failureOf } from './bluesky-failure.js'
import { isDid } from './identifiers.js'
import type { Pds } from './pds.js'

const resolved = z.object({ did: z.string().refine(isDid) })

/** Whose handle it is; undefined when it is nobody's. */
export async function didOf(pds: Pds, handle: string, now: number, signal?: AbortSignal): Promise<string | undefined> {
  const answer = await pds.read({ method: 'com.atproto.identity.resolveHandle', query: { handle } }, signal)
  if (answer.status === 400 || answer.status === 404) return undefined
  if (answer.status !== 200) throw failureOf(answer, pds.host, `look up @${handle}`, now)
  return pds.parse(answer, resolved, `look up @${handle}`).did
}

/** By handle; who is nobody is left out. */
export async function didsOf(
  pds: Pds,
  handles: readonly string[],
  now: number,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const dids = new Map<string, string>()
  for (const handle of handles) {
    const did = await didOf(pds, handle, now, signal)
    if (did !== undefined) dids.set(handle, did)
  }
  return dids
}
