import { join } from 'node:path'
import type { CallRecord } from '../broker/call-record.js'
import type { Logger } from '../hub-log.js'
import { type Lock, LockedError, takeLock } from '../lock.js'
import { makePrivate } from '../runtime-directory.js'
import { StartError } from '../start-error.js'
import type { AuditConfig } from './audit-config.js'
import { type Answer, callMembers } from './call-members.js'
import { ChainFile } from './chain-file.js'
import { answersMax, batchBytesMax, bufferBytesMax, checkpointMs, gatherMs, retryMs, syncMs } from './limits.js'
import { redactionOf } from './redaction.js'

export interface JournalOptions {
  readonly config: AuditConfig
  readonly version: string
  readonly log: Logger
  /** What the hub knows that must be in no line. */
  readonly secrets: readonly string[]
  /** UTC ms. */
  readonly now: () => number
}

export interface AuditCounts {
  readonly lines: number
  readonly lost: number
}

/** @throws StartError: an installation that wants a journal must not run without one. */
export async function openJournal(options: JournalOptions): Promise<AuditJournal> {
  const { config, log, version, now } = options
  await makePrivate(config.directory, 'audit.directory')
  const lock = await lockOf(config.directory)
  const file = new ChainFile(config, (name) =>
    log.error(
      { file: name },
      'the audit journal was removed or changed while it was written: it goes on in a new file',
    ),
  )
  const journal = new AuditJournal(options, file, lock)
  try {
    const repair = await file.open()
    if (repair !== undefined) {
      log.warn(repair, 'the audit journal was not ended: its newest file is mended')
      journal.note('recovered', { ...repair })
    }
    journal.note('started', { version, pid: process.pid })
    await journal.write(now())
  } catch (error) {
    await journal.close()
    throw unwritable(config.directory, error)
  }
  return journal
}

/** Two that write would break each other's chain. @throws StartError */
async function lockOf(directory: string): Promise<Lock> {
  try {
    return await takeLock(join(directory, 'audit.lock'))
  } catch (error) {
    if (!(error instanceof LockedError)) throw unwritable(directory, error)
    throw new StartError(
      `Another hub keeps its audit journal in ${directory}: stop it, or set another audit.directory.`,
    )
  }
}

const unwritable = (directory: string, error: unknown): StartError =>
  new StartError(
    `The audit journal in ${directory} can't be written (${(error as Error).message}): free the disk or mend the directory, or set CALLBOARD_AUDIT=off.`,
  )

/**
 * Takes what happened, at once and without waiting; writes it in batches. Lines that wait are bounded in bytes: those that
 * find no room are counted, and the next line that is written says how many they were.
 */
export class AuditJournal {
  readonly #options: JournalOptions
  readonly #file: ChainFile
  readonly #lock: Lock
  readonly #redaction
  readonly #answers = new Map<string, Answer>()
  /** Of this turn of the event loop. */
  #calls: { readonly at: number; readonly record: CallRecord }[] = []
  /** JSON members without braces. */
  #lines: string[] = []
  #bytes = 0
  #written = 0
  #lost = 0
  #lostUntold = 0
  #problem: string | undefined
  #writing: Promise<void> | undefined
  #isDue = false
  #timer: NodeJS.Timeout | undefined
  readonly #clocks: NodeJS.Timeout[]
  #checkpoint = ''
  #closing: Promise<void> | undefined

  constructor(options: JournalOptions, file: ChainFile, lock: Lock) {
    this.#options = options
    this.#file = file
    this.#lock = lock
    this.#redaction = redactionOf([...options.secrets, ...options.config.secrets])
    this.#clocks = [
      setInterval(() => void this.#sync(), syncMs).unref(),
      setInterval(() => this.#tellHead(), checkpointMs).unref(),
    ]
  }

  get counts(): AuditCounts {
    return { lines: this.#written, lost: this.#lost }
  }

  /** Whether calls may not be made, because nobody would know of them. */
  readonly refuses = (): boolean =>
    this.#options.config.onFailure === 'refuse' && (this.#problem !== undefined || this.#bytes >= bufferBytesMax)

  call(record: CallRecord): void {
    if (record.method === 'completion/complete') return
    this.#calls.push({ at: this.#options.now(), record })
    this.#schedule()
  }

  /** What a person answered to a question of a call. */
  answered(call: string, answer: Answer): void {
    if (this.#answers.size < answersMax) this.#answers.set(call, answer)
  }

  /** Anything else that is worth a line. */
  note(kind: string, fields: object): void {
    this.#render()
    this.#add(JSON.stringify({ at: timeOf(this.#options.now()), kind, ...fields }).slice(1, -1))
    this.#schedule()
  }

  /** Writes what there is, in batches. @throws when the disk does not take it; the lines are kept. */
  async write(now: number): Promise<void> {
    this.#render()
    while (this.#lines.length > 0 || this.#lostUntold > 0) {
      const lost = this.#lostUntold
      const batch = this.#takeBatch()
      const count = batch.length
      if (lost > 0) batch.push(JSON.stringify({ at: timeOf(now), kind: 'lost', lost }).slice(1, -1))
      try {
        await this.#file.append(batch, now)
      } catch (error) {
        this.#lines = [...batch.slice(0, count), ...this.#lines]
        this.#bytes += bytesOf(batch.slice(0, count))
        throw error
      }
      this.#written += batch.length
      this.#lostUntold -= lost
    }
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    for (const clock of this.#clocks) clearInterval(clock)
    clearTimeout(this.#timer)
    await this.#writing
    try {
      if (this.#file.head.seq > 0) {
        this.note('stopped', {})
        await this.write(this.#options.now())
        this.#tellHead()
      }
    } catch (error) {
      this.#options.log.error({ err: error, lost: this.#lines.length }, 'the audit journal has lost its last lines')
    } finally {
      this.#lines = []
      await this.#file.close().catch(() => undefined)
      await this.#lock.release()
    }
  }

  /** At the end of this turn, or, after a write, with what gathers meanwhile. */
  #schedule(): void {
    if (this.#isDue || this.#closing !== undefined) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#render()
      if (this.#writing === undefined && this.#timer === undefined) this.#begin()
    })
  }

  #begin(): void {
    if (this.#closing !== undefined) return
    this.#writing = this.write(this.#options.now()).then(
      () => this.#ended(undefined),
      (error: Error) => this.#ended(error.message),
    )
  }

  #ended(problem: string | undefined): void {
    const { log, config } = this.#options
    if (problem !== undefined && this.#problem === undefined) {
      log.error(
        { problem, directory: config.directory, onFailure: config.onFailure },
        'the audit journal can’t be written',
      )
    }
    if (problem === undefined && this.#problem !== undefined)
      log.warn({ lost: this.#lost }, 'the audit journal is written again')
    this.#problem = problem
    this.#writing = undefined
    if (this.#closing !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        if (this.#lines.length > 0 || this.#lostUntold > 0) this.#begin()
      },
      problem === undefined ? gatherMs : retryMs,
    )
    this.#timer.unref()
  }

  /** Not later than in this turn: a call's body may be a part of something much larger. */
  #render(): void {
    if (this.#calls.length === 0) return
    const calls = this.#calls
    this.#calls = []
    for (const { at, record } of calls) this.#add(this.#callText(at, record))
  }

  #callText(at: number, record: CallRecord): string {
    const { config } = this.#options
    const answer = this.#answers.get(record.id)
    if (answer !== undefined) this.#answers.delete(record.id)
    const recording = record.audit ?? { kind: config.arguments }
    return `"at":"${timeOf(at)}","kind":"call",${callMembers(record, recording, this.#redaction, answer)}`
  }

  #add(members: string): void {
    if (this.#bytes + members.length > bufferBytesMax) {
      if (this.#lostUntold === 0) this.#options.log.error({}, 'audit lines are lost: the disk does not take them')
      this.#lost++
      this.#lostUntold++
      return
    }
    this.#bytes += members.length
    this.#lines.push(members)
  }

  #takeBatch(): string[] {
    let [count, bytes] = [0, 0]
    while (count < this.#lines.length && (count === 0 || bytes < batchBytesMax)) bytes += this.#lines[count++]!.length
    this.#bytes -= bytes
    return this.#lines.splice(0, count)
  }

  async #sync(): Promise<void> {
    await this.#file
      .sync()
      .catch((error) => this.#options.log.error({ err: error }, 'the audit journal can’t be synced'))
  }

  /** Whoever keeps the log elsewhere can tell when the newest lines of the journal are missing. */
  #tellHead(): void {
    const { seq, hash } = this.#file.head
    if (hash === this.#checkpoint) return
    this.#checkpoint = hash
    this.#options.log.info({ seq, hash, file: this.#file.name }, 'audit checkpoint')
  }
}

let lastMs = Number.NaN
let lastTime = ''

/** Most calls share their millisecond with others. */
function timeOf(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms
    lastTime = new Date(ms).toISOString()
  }
  return lastTime
}

const bytesOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0)
