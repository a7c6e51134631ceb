import { hashOfJson } from '@callboard/worker/canonical-json'
import { recordAction } from '../activity/record-action.js'
import type { Written } from '../content/content-writer.js'
import { SocialFailure } from '../envelope/failure.js'
import type { Loop } from '../loops/loop.js'
import { type AutopilotParts, autopilotOwner, canWrite } from './autopilot.js'
import { nextPostTime, nextThreadTime } from './preferred-times.js'
import { hasQuota } from './quota.js'

type Kind = 'tweet' | 'thread'

/** Proposes a post of our own, for the next preferred time where there are such. */
export function contentLoop(parts: AutopilotParts): Loop {
  return writingLoop(parts, 'content', 'tweet', parts.foundation.config.intervals.content_seconds * 1000)
}

/** The same for a thread: it goes the same way, and needs the same approval. */
export function threadLoop(parts: AutopilotParts): Loop {
  return writingLoop(parts, 'thread', 'thread', parts.foundation.config.intervals.thread_seconds * 1000)
}

function writingLoop(parts: AutopilotParts, name: string, kind: Kind, everyMs: number): Loop {
  return {
    name,
    network: parts.network.name,
    everyMs,
    keepsHours: true,
    logType: kind,
    turn: (signal) => writeNext(parts, kind, everyMs, signal),
  }
}

/** The writer is asked last: when there is quota, and nothing has been proposed for that time yet. */
async function writeNext(parts: AutopilotParts, kind: Kind, everyMs: number, signal: AbortSignal): Promise<void> {
  const { foundation, network, proposals } = parts
  const { clock, config } = foundation
  if (!network.capabilities.canPost || !canWrite(parts)) return
  if (!(await hasQuota(foundation, network.name, kind))) return
  const now = clock.now()
  const scheduledFor = kind === 'tweet' ? nextPostTime(config.schedule, now) : nextThreadTime(config.schedule, now)
  // One item for each preferred time, or else for each interval: a turn that is done again proposes nothing new.
  const key = `${kind}:${network.name}:${scheduledFor ?? `every ${everyMs}: ${Math.floor(now / everyMs)}`}`
  if (await isProposed(parts, key)) return
  const { handle } = await network.account(signal)
  try {
    const written = await write(parts, kind, signal)
    signal.throwIfAborted()
    await propose(parts, kind, { handle, key, written, scheduledFor })
  } catch (error) {
    if (!(error instanceof SocialFailure) || error.retryable || error.code === 'llm_not_configured') throw error
    await skip(parts, kind, error)
    return
  }
  proposals.wake()
}

async function isProposed({ foundation }: AutopilotParts, key: string): Promise<boolean> {
  const item = await foundation.store.db
    .selectFrom('approval_queue')
    .select('id')
    .where('owner', '=', autopilotOwner)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
  return item !== undefined
}

async function write(parts: AutopilotParts, kind: Kind, signal: AbortSignal): Promise<Written> {
  const { network, writer } = parts
  const topic = await parts.chooseTopic(network.name)
  const wish = { network, principal: autopilotOwner, ...(topic !== undefined && { topic }) }
  return kind === 'tweet' ? writer.post(wish, signal) : writer.thread(wish, signal)
}

interface Text {
  readonly handle: string
  readonly key: string
  readonly written: Written
  readonly scheduledFor: number | undefined
}

async function propose(parts: AutopilotParts, kind: Kind, what: Text): Promise<void> {
  const { foundation, network, proposals } = parts
  const { handle, key, written, scheduledFor } = what
  await foundation.store.transaction(async (tx) => {
    const { item } = await proposals.propose(tx, {
      network,
      account: handle,
      action: kind,
      parts: written.parts,
      ...(written.topic !== undefined && { topic: written.topic }),
      archetype: written.shape,
      generatedBy: written.generatedBy,
      ...(scheduledFor !== undefined && { scheduledFor }),
      origin: 'autopilot',
      owner: autopilotOwner,
      key,
      // Not of the text, which is another one each time: one key, one item.
      isKeyGiven: true,
      argumentsHash: hashOfJson(key),
    })
    await recordAction(tx, {
      at: foundation.clock.now(),
      type: kind,
      status: 'success',
      message: `Proposed a ${kind === 'tweet' ? 'post' : 'thread'} on ${network.name}.`,
      metadata: { network: network.name, item_id: item.id },
      principal: autopilotOwner,
    })
  })
}

async function skip({ foundation, network }: AutopilotParts, kind: Kind, problem: SocialFailure): Promise<void> {
  await recordAction(foundation.store.db, {
    at: foundation.clock.now(),
    type: kind,
    status: 'skipped',
    message: `Nothing is proposed: ${problem.message}`,
    metadata: { network: network.name, code: problem.code },
    principal: autopilotOwner,
  })
}
