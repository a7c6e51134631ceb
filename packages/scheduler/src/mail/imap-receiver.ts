import { StoreError } from '@callboard/store'
import type { Foundation } from '../foundation.js'
import { imapBackoffMaxMs, imapBackoffMinMs, mailFetchAttemptsMax, mailRescanMs, mailsPerBatch } from '../limits.js'
import { describeImapError, isRefusedRequest } from './imap-error.js'
import { ImapMailbox, type MailboxStatus } from './imap-mailbox.js'
import { type ImapServer, imapServerOf, mailboxKey } from './imap-server.js'
import { Intake, type IntakeParts, type ReceivedMail } from './intake.js'
import { beginCursor, type MailCursor, readCursor, readingSince, renewCursor } from './mail-cursor.js'
import type { MailHealth } from './mail-transport.js'

/**
 * Reads one mailbox for as long as it lives: told of new mail by the server, and looking for itself every `imap_poll_ms`.
 * Lost connections are made again for ever. Any number of processes may read the same mailbox into one database.
 */
export class ImapReceiver implements AsyncDisposable {
  readonly #foundation: Pick<Foundation, 'config' | 'store' | 'clock' | 'log'>
  readonly #intake: Intake
  readonly #server: ImapServer | undefined
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #connected = false
  #lastOkAt: number | null = null
  #lastError: string | null = null
  /** Failures in a row. */
  #failures = 0
  #hasNews = false
  #tellNews: () => void = () => undefined
  /** The mail that the server refuses to give out. */
  #refused: { readonly uid: number; readonly times: number } | undefined

  constructor(parts: IntakeParts) {
    this.#foundation = parts
    this.#intake = new Intake(parts)
    this.#server = imapServerOf(parts.config)
  }

  get health(): MailHealth {
    return {
      configured: this.#server !== undefined,
      connected: this.#connected,
      lastOkAt: this.#lastOkAt,
      lastError: this.#lastError,
    }
  }

  /** Idempotent; without IMAP_URL there is nothing to do. */
  start(): void {
    if (this.#server === undefined || this.#stop.signal.aborted) return
    this.#running ??= this.#run(this.#server)
  }

  /** Resolves when nothing more is read or stored. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#wake()
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #run(server: ImapServer): Promise<void> {
    const { clock } = this.#foundation
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#connection(server)
      } catch (error) {
        if (!signal.aborted) this.#fail(error, server)
      }
      this.#connected = false
      if (!signal.aborted) await clock.sleepUntil(clock.now() + backoffMs(this.#failures), signal)
    }
  }

  /** Returns only when it was told to stop. */
  async #connection(server: ImapServer): Promise<void> {
    const { config, clock, log } = this.#foundation
    const { signal } = this.#stop
    const path = config.imap_mailbox
    await using mailbox = await ImapMailbox.open(server, path, () => this.#wake(), signal)
    while (!signal.aborted) {
      this.#hasNews = false
      const isAtEnd = await this.#readBatch(mailbox, mailboxKey(server, path))
      if (!this.#connected) log.info({ host: server.host, mailbox: path }, 'Mail is being received')
      this.#connected = true
      this.#failures = 0
      this.#lastError = null
      if (!isAtEnd) continue
      this.#lastOkAt = clock.now()
      mailbox.idle()
      await this.#newsOrPoll()
      if (mailbox.error !== undefined && !signal.aborted) throw mailbox.error
    }
  }

  /** Whether nothing was left to read. */
  async #readBatch(mailbox: ImapMailbox, key: string): Promise<boolean> {
    const status = await mailbox.refresh()
    const { lastUid } = await this.#cursorFor(mailbox, key, status)
    const uids = await mailbox.uidsAfter(lastUid)
    for (const uid of uids.slice(0, mailsPerBatch)) {
      if (this.#stop.signal.aborted) return false
      const cursor = { mailbox: key, at: { uidValidity: status.uidValidity, lastUid: uid } }
      await this.#take(mailbox, uid, status.uidValidity, cursor)
    }
    return uids.length <= mailsPerBatch
  }

  async #cursorFor(mailbox: ImapMailbox, key: string, status: MailboxStatus): Promise<MailCursor> {
    const { store, clock } = this.#foundation
    const here: MailCursor = { uidValidity: status.uidValidity, lastUid: status.highestUid }
    const stored = await readCursor(store.db, key)
    if (stored === undefined) await store.transaction((db) => beginCursor(db, key, here, clock.now()))
    else if (stored.uidValidity === status.uidValidity) return stored
    else await this.#readAgain(mailbox, key, stored, here)
    // Another process may have been first.
    return (await readCursor(store.db, key)) ?? here
  }

  /**
   * Old numbers mean nothing any more, so what came lately is read again; what is known is passed over. The cursor moves
   * at the end: whoever is interrupted begins anew, with the same effect.
   */
  async #readAgain(mailbox: ImapMailbox, key: string, before: MailCursor, after: MailCursor): Promise<void> {
    const { store, clock } = this.#foundation
    const since = Math.max(clock.now() - mailRescanMs, await readingSince(store.db, key))
    for (const uid of await mailbox.uidsSince(since)) {
      this.#stop.signal.throwIfAborted()
      if (uid <= after.lastUid) await this.#take(mailbox, uid, after.uidValidity, undefined)
    }
    await store.transaction((db) => renewCursor(db, key, before, after, clock.now()))
  }

  async #take(mailbox: ImapMailbox, uid: number, uidValidity: number, cursor: ReceivedMail['cursor']): Promise<void> {
    const content = await this.#download(mailbox, uid, uidValidity)
    if (content.kind !== 'gone') await this.#intake.take({ uid, content, cursor })
  }

  /** A mail that the server keeps refusing to give out must not keep those behind it from being read. */
  async #download(
    mailbox: ImapMailbox,
    uid: number,
    uidValidity: number,
  ): Promise<ReceivedMail['content'] | { readonly kind: 'gone' }> {
    try {
      return await mailbox.download(uid)
    } catch (error) {
      if (!isRefusedRequest(error)) throw error
      const times = this.#refused?.uid === uid ? this.#refused.times + 1 : 1
      this.#refused = { uid, times }
      if (times < mailFetchAttemptsMax) throw error
      return { kind: 'unavailable', messageId: `unavailable:${uidValidity}:${uid}` }
    }
  }

  async #newsOrPoll(): Promise<void> {
    const { clock, config } = this.#foundation
    const polling = new AbortController()
    const news = new Promise<void>((resolve) => {
      this.#tellNews = resolve
    })
    if (!this.#hasNews) await Promise.race([news, clock.sleepUntil(clock.now() + config.imap_poll_ms, polling.signal)])
    polling.abort()
  }

  #wake(): void {
    this.#hasNews = true
    this.#tellNews()
  }

  #fail(error: unknown, server: ImapServer): void {
    this.#failures += 1
    this.#lastError =
      error instanceof StoreError
        ? 'Mail is not read while the database can not be reached.'
        : describeImapError(error, server, this.#foundation.config.imap_mailbox)
    this.#foundation.log.warn({ failures: this.#failures }, this.#lastError)
  }
}

/** Doubles with each failure in a row. */
function backoffMs(failures: number): number {
  return Math.min(imapBackoffMaxMs, imapBackoffMinMs * 2 ** Math.min(Math.max(failures - 1, 0), 20))
}
