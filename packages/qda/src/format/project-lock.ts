import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@callboard/worker/clock'
import Database from 'better-sqlite3'
import { lockContentBytesMax, lockedReadMs, lockRefreshMs, lockStaleMs } from '../limits.js'
import { databaseFileName } from './project-path.js'

export const lockFileName = 'project_in_use.lock'

/** Who has a project open for writing. */
export interface LockHolder {
  readonly user: string
  /** When it was last said that the project is in use, UTC ms. */
  readonly at: number
}

/**
 * The lock by which QualCoder 3 shows that it has a project open: two lines, a user and the time in seconds, written
 * again and again. One that is not written any more is nobody's.
 *
 * Our processes take it only inside a write transaction of the database, which the system ends with a dead process; so
 * who asks {@link stillOurs} inside its own write transaction can't lose it before the commit to another of them.
 */
export class ProjectLock {
  readonly #path: string
  readonly #database: string
  readonly #clock: Clock
  /** Ours alone, also beside another process of the same user. */
  readonly #user: string
  #isHeld = false
  #holder: LockHolder | null = null
  #refreshing: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  /** Of a project's folder. */
  constructor(path: string, clock: Clock, id: string = `${process.pid}@${hostname()} ${randomUUID()}`) {
    this.#path = join(path, lockFileName)
    this.#database = join(path, databaseFileName)
    this.#clock = clock
    this.#user = `${userName()} (callboard ${id})`
  }

  /** As of the last look at the file. */
  get isOurs(): boolean {
    return this.#isHeld
  }

  /** Who had it when it could not be acquired, or when it was lost. */
  get holder(): LockHolder | null {
    return this.#holder
  }

  /** Takes the lock if nobody else has it; false where somebody has, or where it can't be written. Idempotent. */
  async acquire(): Promise<boolean> {
    if (this.#isHeld && this.stillOurs()) return true
    await this.#stopRefreshing()
    this.#isHeld = this.#take()
    if (this.#isHeld) this.#startRefreshing()
    return this.#isHeld
  }

  /** Looks at the file, and says there that we live. False from the moment on at which it is somebody else's. */
  stillOurs(): boolean {
    if (!this.#isHeld) return false
    const found = this.#read()
    this.#isHeld =
      found === null ? this.#create() : found.user === this.#user && (!this.#isOld(found) || this.#refresh())
    if (!this.#isHeld) this.#holder = found
    return this.#isHeld
  }

  /** Deletes the file if it is ours. Idempotent. */
  async release(): Promise<void> {
    await this.#stopRefreshing()
    if (this.#isHeld && this.#read()?.user === this.#user) rmSync(this.#path, { force: true })
    this.#isHeld = false
  }

  /** Under the database's write lock, so that of two processes that find a stale lock one takes it. */
  #take(): boolean {
    let db: Database.Database | undefined
    try {
      db = new Database(this.#database, { fileMustExist: true, timeout: lockedReadMs })
      db.exec('BEGIN IMMEDIATE')
      return this.#takeAlone()
    } catch {
      // Somebody writes at this moment, or nothing can be written at all.
      this.#holder = this.#read()
      return false
    } finally {
      db?.close()
    }
  }

  #takeAlone(): boolean {
    const found = this.#read()
    this.#holder = found
    const isFree = found === null || found.user === this.#user || this.#isStale(found) || isOfDeadProcess(found)
    if (!isFree) return false
    if (found !== null) rmSync(this.#path, { force: true })
    return this.#create()
  }

  /** Never over another one: QualCoder knows nothing of our transactions. */
  #create(): boolean {
    try {
      writeFileSync(this.#path, this.#content(), { flag: 'wx' })
      return true
    } catch {
      return false
    }
  }

  /** In place and of the same length, so that no reader ever sees half of it. */
  #refresh(): boolean {
    try {
      const file = openSync(this.#path, 'r+')
      try {
        writeSync(file, this.#content(), 0)
      } finally {
        closeSync(file)
      }
      return true
    } catch {
      return false
    }
  }

  #content(): string {
    return `${this.#user}\n${Math.floor(this.#clock.now() / 1000)}`
  }

  #isStale({ at }: LockHolder): boolean {
    return Math.abs(this.#clock.now() - at) > lockStaleMs
  }

  #isOld({ at }: LockHolder): boolean {
    return Math.abs(this.#clock.now() - at) >= lockRefreshMs
  }

  /** Null where there is none. One that can't be understood is somebody's, as old as its file. */
  #read(): LockHolder | null {
    try {
      // A pipe in its place would keep us waiting.
      const file = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK)
      try {
        return holderOf(textOf(file), fstatSync(file).mtimeMs, this.#clock.now())
      } finally {
        closeSync(file)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      return { user: 'somebody', at: this.#clock.now() }
    }
  }

  #startRefreshing(): void {
    const stop = new AbortController()
    this.#refreshing = { stop, ended: this.#refreshUntil(stop.signal) }
  }

  async #refreshUntil(signal: AbortSignal): Promise<void> {
    while (this.#isHeld) {
      await this.#clock.sleepUntil(this.#clock.now() + lockRefreshMs, signal)
      if (signal.aborted) return
      this.stillOurs()
    }
  }

  async #stopRefreshing(): Promise<void> {
    this.#refreshing?.stop.abort()
    await this.#refreshing?.ended
    this.#refreshing = undefined
  }
}

/** One of ours on this machine that was killed: nobody has to wait until its lock is stale. */
function isOfDeadProcess({ user }: LockHolder): boolean {
  const [, pid, host] = /\(callboard (\d{1,10})@(\S+) [^ ]+\)$/.exec(user) ?? []
  if (pid === undefined || host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function textOf(file: number): string {
  const bytes = Buffer.alloc(lockContentBytesMax)
  return bytes.toString('utf8', 0, readSync(file, bytes))
}

function holderOf(text: string, changedAt: number, now: number): LockHolder {
  const [user = '', seconds = ''] = text.split(/\r?\n/)
  const at = /^\s*\d+(\.\d+)?\s*$/.test(seconds) ? Number(seconds) * 1000 : Number.NaN
  // A time that is yet to come is that of a wrong clock: the lock would never be stale.
  return { user: user === '' ? 'somebody' : user, at: at <= now + lockStaleMs ? at : changedAt }
}

function userName(): string {
  try {
    return userInfo().username.replace(/\s+/g, ' ')
  } catch {
    return 'unknown'
  }
}
