import { isLoopbackHost } from './loopback.js'

/** Where mail is read, from IMAP_URL. */
export interface ImapServer {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte; `starttls` before anything is said; `plain` on this machine only. */
  readonly protection: 'tls' | 'starttls' | 'plain'
  readonly user: string
  readonly password: string
}

export function parseImapUrl(imapUrl: string): ImapServer {
  const url = new URL(imapUrl)
  const isTls = url.protocol === 'imaps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: Number(url.port) || (isTls ? 993 : 143),
    protection: isTls ? 'tls' : isLoopbackHost(host) ? 'plain' : 'starttls',
    user: decoded(url.username),
    password: decoded(url.password),
  }
}

/** Without secrets and port: the same mailbox, wherever a server is moved to. */
export function mailboxKey({ user, host }: ImapServer, mailbox: string): string {
  return `${user}@${host}/${mailbox}`
}

/** A percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
