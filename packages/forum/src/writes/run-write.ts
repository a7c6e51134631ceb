import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import type { Scope, WriteRequest } from '../http/site-client.js'
import type { JsonRecord } from '../json/read-json.js'
import { lookReserveMs, otherWriteLookMs, otherWriteStepMs, sendReserveMs } from '../limits.js'
import type { ForumTool, ToolCall } from '../tools/forum-tool.js'
import { InFlight } from './in-flight.js'
import { Journal, type JournalEntry, type Standing } from './journal.js'
import { lookForEffect, type Sent } from './look-for-effect.js'
import { cancelledWrite, unknownOutcome, unsentWrite } from './write-failures.js'
import { entryOf } from './write-key.js'
import { WriteQueue } from './write-queue.js'

export { outputOfWrite } from './write-shape.js'

export type AnyWriteTool = Extract<ForumTool, { kind: 'write' }>

/** One call of a tool that writes; its scope is that of all who wait for it. */
export interface Write {
  readonly tool: AnyWriteTool
  readonly input: JsonRecord
  readonly call: ToolCall
  readonly entry: JournalEntry
}

type Parts = Pick<Foundation, 'store' | 'clock' | 'log'>

/** What all writes of a process go through. */
export interface Writes extends Omit<Parts, 'store'> {
  readonly queue: WriteQueue
  readonly journal: Journal
}

export class Writer {
  readonly #writes: Writes
  readonly #inFlight: InFlight<JsonRecord>

  constructor(parts: Parts) {
    const { clock, log } = parts
    this.#writes = { clock, log, queue: new WriteQueue(parts), journal: new Journal(parts) }
    this.#inFlight = new InFlight(clock)
  }

  /**
   * The answer of a tool that writes, with what became of it. Its request leaves once at most, at the forum's pace, and only
   * where the journal knows no write that is the same. Rejects with a ForumFailure whose `outcome` says what is known:
   * `rejected`, nothing has happened, or `unknown`. Input is what the tool's schema made of the arguments.
   */
  async run(tool: AnyWriteTool, input: JsonRecord, call: ToolCall): Promise<JsonRecord> {
    const entry = entryOf(tool, input, call)
    const { result, isJoined } = await this.#inFlight.join(entry.key, call.scope, (scope) =>
      perform({ tool, input, call: { ...call, scope }, entry }, this.#writes),
    )
    return isJoined ? { ...result, duplicate: true } : result
  }
}

async function perform(write: Write, writes: Writes): Promise<JsonRecord> {
  const standing = await claim(write, writes)
  if (standing.kind === 'ours') return attempt(write, writes)
  if (standing.kind === 'done') return { ...standing.output, duplicate: true }
  return resolveUnknown(write, { at: standing.sentAt }, writes)
}

/** Waits for another process that is at the same write; when time is short, what it has done so far has to be looked for. */
async function claim(write: Write, writes: Writes): Promise<Standing> {
  const { entry, call } = write
  const { journal, clock } = writes
  const { signal } = call.scope
  const patience = leaving(lookReserveMs, call.scope, clock.now()).deadline
  let lookAt = clock.now() + otherWriteLookMs
  for (let isWaiting = false; ; isWaiting = true) {
    if (signal.aborted) throw cancelledWrite(isWaiting ? 'unknown' : 'rejected')
    const standing = await journal.claim(entry, call.scope.deadline)
    if (standing.kind !== 'elsewhere' || clock.now() >= patience) return standing
    if (standing.hasLeft && clock.now() >= lookAt) {
      lookAt = Number.POSITIVE_INFINITY
      if (await isThere(write, standing.sentAt, writes)) continue
    }
    await clock.sleepUntil(Math.min(clock.now() + otherWriteStepMs, patience), signal)
  }
}

/** The process that was to write it down may be gone. */
async function isThere(write: Write, sentAt: number, writes: Writes): Promise<boolean> {
  const found = await lookForEffect(write, { at: sentAt }, writes)
  if (found === undefined) return false
  await writes.journal.done(write.entry.key, { ...found, outcome: 'done', recovered: true })
  return true
}

async function attempt(write: Write, writes: Writes): Promise<JsonRecord> {
  const { call, entry } = write
  const { request, prepared, turn } = await readyToSend(write, writes).catch(async (error) => {
    await writes.journal.release(entry.key)
    throw unsentWrite(error, call.scope.signal)
  })
  let hasLeft = false
  try {
    return await send(write, request, prepared, writes, () => {
      hasLeft = true
      turn.over()
    })
  } catch (error) {
    const isUnsent = call.scope.signal.aborted && !hasLeft
    const failure = isUnsent ? cancelledWrite('rejected') : error instanceof ForumFailure ? error : undefined
    if (failure?.details.outcome !== 'rejected') {
      return afterUnknown(write, { at: turn.at, prepared }, failure ?? error, writes)
    }
    await writes.journal.release(entry.key)
    throw await explained(write, failure)
  } finally {
    turn.over()
  }
}

/** From its turn on, its row says that it may have left. */
async function readyToSend({ tool, input, call, entry }: Write, { queue, journal, clock }: Writes) {
  const prepared: unknown = await tool.prepare?.(input, call)
  const request = tool.request(input, call, prepared)
  const scope = leaving(sendReserveMs, call.scope, clock.now())
  const turn = await queue.turn(entry.base, scope, (transaction, at) => journal.sending(transaction, entry.key, at))
  return { request, prepared, turn }
}

async function send(
  { tool, input, call, entry }: Write,
  request: WriteRequest,
  prepared: unknown,
  { journal, clock }: Writes,
  onSending: () => void,
): Promise<JsonRecord> {
  const scope = tool.find === undefined ? call.scope : leaving(lookReserveMs, call.scope, clock.now())
  const answer = await call.client.send(request, scope, onSending)
  const { output, outcome = 'done' } = await tool.effect(answer, input, call, prepared)
  const whole = { ...output, outcome }
  await journal.done(entry.key, whole)
  return whole
}

async function afterUnknown(write: Write, sent: Sent, error: unknown, writes: Writes): Promise<JsonRecord> {
  const { tool, call, entry } = write
  await writes.journal.unknown(entry.key)
  if (call.scope.signal.aborted) throw cancelledWrite('unknown')
  if (error instanceof ForumFailure) return resolveUnknown(write, { ...sent, cause: error }, writes)
  writes.log.error({ err: error, tool: tool.name }, 'A write ended in an unexpected way')
  const cause = new ForumFailure('unexpected_response', 'Its answer could not be read.')
  return resolveUnknown(write, { ...sent, cause }, writes)
}

/** What could be read beside it makes it clearer; where nothing could, it is clear enough. */
async function explained({ tool, input, call }: Write, failure: ForumFailure): Promise<ForumFailure> {
  if (tool.refused === undefined) return failure
  return tool.refused(failure, input, call).catch(() => failure)
}

async function resolveUnknown(write: Write, sent: Sent, writes: Writes): Promise<JsonRecord> {
  const { tool, call, entry } = write
  const found = await lookForEffect(write, sent, writes)
  if (found === undefined) {
    throw call.scope.signal.aborted ? cancelledWrite('unknown') : unknownOutcome(tool, sent.cause)
  }
  const output = { ...found, outcome: 'done', recovered: true }
  await writes.journal.done(entry.key, output)
  return output
}

/** The same, with some of its time left for what comes after. */
function leaving(ms: number, scope: Scope, now: number): Scope {
  return { ...scope, deadline: scope.deadline - Math.min(ms, Math.max(0, scope.deadline - now) / 4) }
}
