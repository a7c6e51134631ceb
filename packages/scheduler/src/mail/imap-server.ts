import type { SchedulerConfig } from '../config.js'
import { authoritiesOf } from './authorities.js'
import { isLoopbackHost } from './loopback.js'

/** Where mail is read, from IMAP_URL. */
export interface ImapServer {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte; `starttls` before anything is said; `plain` on this machine only. */
  readonly protection: 'tls' | 'starttls' | 'plain'
  readonly user: string
  readonly password: string
  /** PEM; absent: those that everybody trusts. */
  readonly authorities?: string
}

/** Undefined: no mail is read. Throws a SchedulerConfigError. */
export function imapServerOf(config: SchedulerConfig): ImapServer | undefined {
  const authorities = authoritiesOf(config, 'imap_tls_ca')
  return config.imap_url === undefined ? undefined : parseImapUrl(config.imap_url, authorities)
}

/** Plain text never leaves the machine. On it, a private authority means that TLS is wanted all the same. */
export function parseImapUrl(imapUrl: string, authorities?: string): ImapServer {
  const url = new URL(imapUrl)
  const isTls = url.protocol === 'imaps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: Number(url.port) || (isTls ? 993 : 143),
    protection: isTls ? 'tls' : isLoopbackHost(host) && authorities === undefined ? 'plain' : 'starttls',
    user: decoded(url.username),
    password: decoded(url.password),
    ...(authorities !== undefined && { authorities }),
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
