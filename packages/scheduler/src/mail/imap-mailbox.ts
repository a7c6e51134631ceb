import { ImapFlow, type ImapFlowOptions } from 'imapflow'
import { imapTimeoutMs, mailBytesMax, mailHeadBytesMax, mailsPerBatch } from '../limits.js'
import type { ImapServer } from './imap-server.js'

export interface MailboxStatus {
  readonly uidValidity: number
  /** Of the newest mail that there is or was; 0: there never was one. */
  readonly highestUid: number
}

export type MailDownload =
  | { readonly kind: 'whole'; readonly raw: Buffer }
  | { readonly kind: 'too_large'; readonly head: Buffer }
  /** Somebody has deleted it meanwhile. */
  | { readonly kind: 'gone' }

/** One connection with one mailbox open, read-only: this worker leaves no mark in it. */
export class ImapMailbox implements AsyncDisposable {
  readonly #client: ImapFlow
  readonly #path: string
  readonly #news: () => void
  #error: Error | undefined

  private constructor(client: ImapFlow, path: string, news: () => void) {
    this.#client = client
    this.#path = path
    this.#news = news
  }

  /** `news` is called when a mail may have come and when the connection ends. Rejects with what ImapFlow throws. */
  static async open(server: ImapServer, path: string, news: () => void, signal: AbortSignal): Promise<ImapMailbox> {
    const client = new ImapFlow(clientOptions(server))
    const mailbox = new ImapMailbox(client, path, news)
    client.on('error', (error) => mailbox.#end(error))
    client.on('close', () => mailbox.#end(new Error('The mail server has closed the connection')))
    client.on('exists', news)
    const abort = () => client.close()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await client.connect()
      signal.throwIfAborted()
      return mailbox
    } catch (error) {
      client.close()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Why there is no connection any more; undefined: there is one. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Opens the mailbox again each time: only so does a server say that it has numbered its mails anew. */
  async refresh(): Promise<MailboxStatus> {
    const { uidValidity, uidNext, exists } = await this.#client.mailboxOpen(this.#path, { readOnly: true })
    const newest = exists > 0 ? await this.#client.fetchOne('*', { uid: true }) : undefined
    // Not every server tells the next number.
    return { uidValidity: Number(uidValidity), highestUid: Math.max(uidNext - 1, newest ? newest.uid : 0) }
  }

  /** Ascending. */
  async uidsAfter(uid: number): Promise<number[]> {
    const found = await this.#client.search({ uid: `${uid + 1}:*` }, { uid: true })
    // `*` names the newest mail, also where that is older than what was asked for.
    return sorted(found).filter((each) => each > uid)
  }

  /** By when the server got them, ascending; `time` is UTC ms. */
  async uidsSince(time: number): Promise<number[]> {
    // The search knows whole days, in the server's zone.
    const found = await this.#client.search({ since: new Date(time - 24 * 60 * 60_000) }, { uid: true })
    const recent: number[] = []
    const uids = sorted(found)
    for (let start = 0; start < uids.length; start += mailsPerBatch) {
      const range = uids.slice(start, start + mailsPerBatch)
      const mails = await this.#client.fetchAll(range, { internalDate: true }, { uid: true })
      const isRecent = ({ internalDate }: { internalDate?: Date | string | undefined }) =>
        new Date(internalDate ?? 0).getTime() >= time
      recent.push(...mails.filter(isRecent).map(({ uid }) => uid))
    }
    return sorted(recent)
  }

  async download(uid: number): Promise<MailDownload> {
    const size = await this.#client.fetchOne(String(uid), { size: true }, { uid: true })
    if (!size) return { kind: 'gone' }
    const isLarge = (size.size ?? 0) > mailBytesMax
    // One byte more than allowed: a size that was told is no promise.
    const maxLength = isLarge ? mailHeadBytesMax : mailBytesMax + 1
    const mail = await this.#client.fetchOne(String(uid), { source: { start: 0, maxLength } }, { uid: true })
    const source = mail ? mail.source : undefined
    if (source === undefined) return { kind: 'gone' }
    const isTooLarge = isLarge || source.length > mailBytesMax
    return isTooLarge
      ? { kind: 'too_large', head: source.subarray(0, mailHeadBytesMax) }
      : { kind: 'whole', raw: source }
  }

  /** Lets the server push news until the next command. */
  idle(): void {
    // How it ends is told by the events.
    this.#client.idle().catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #end(error: Error): void {
    this.#error ??= error
    this.#news()
  }
}

function clientOptions({ host, port, protection, user, password, authorities }: ImapServer): ImapFlowOptions {
  return {
    host,
    port,
    secure: protection === 'tls',
    // Without an answer to this, a server could talk a client out of encryption.
    ...(protection !== 'tls' && { doSTARTTLS: protection === 'starttls' }),
    tls: { rejectUnauthorized: true, ...(authorities !== undefined && { ca: authorities }) },
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: imapTimeoutMs,
    greetingTimeout: imapTimeoutMs,
    socketTimeout: imapTimeoutMs,
    maxLiteralSize: 2 * mailBytesMax,
    maxLineLength: 2 * mailBytesMax,
    maxResponseSize: 4 * mailBytesMax,
  }
}

function sorted(found: number[] | false | undefined): number[] {
  return [...(found || [])].sort((a, b) => a - b)
}
