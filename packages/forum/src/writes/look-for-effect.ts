import type { ForumFailure } from '../failure/forum-failure.js'
import type { JsonRecord } from '../json/read-json.js'
import { lookAgainMs } from '../limits.js'
import type { Write, Writes } from './run-write.js'

/** When it was sent, UTC ms, and what it was made of, where this very call has sent it. */
export interface Sent {
  readonly at: number
  readonly prepared?: unknown
  /** Why there is no answer. */
  readonly cause?: ForumFailure
}

/** What the write had as its effect, if that can be seen: twice where it has just been sent, since a forum may still be at it. */
export async function lookForEffect(write: Write, sent: Sent, writes: Writes): Promise<JsonRecord | undefined> {
  const { clock } = writes
  const { deadline, signal } = write.call.scope
  const found = await lookOnce(write, sent, writes)
  if (found !== undefined || sent.cause === undefined || write.tool.find === undefined) return found
  const again = clock.now() + lookAgainMs
  if (again >= deadline) return undefined
  await clock.sleepUntil(again, signal)
  return signal.aborted ? undefined : lookOnce(write, sent, writes)
}

async function lookOnce({ tool, input, call }: Write, sent: Sent, { log }: Writes): Promise<JsonRecord | undefined> {
  try {
    return await tool.find?.(input, call, sent.at, sent.prepared)
  } catch (error) {
    if (!call.scope.signal.aborted)
      log.debug({ err: error, tool: tool.name }, 'Could not look for the effect of a write')
    return undefined
  }
}
