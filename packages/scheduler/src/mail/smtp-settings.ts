import { type SchedulerConfig, SchedulerConfigError } from '../config.js'
import { authoritiesOf } from './authorities.js'
import { isLoopbackHost } from './loopback.js'

/** How to reach the SMTP server: what `smtp_url` and `smtp_tls_ca` come to. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly encryption: 'tls' | 'starttls' | 'none'
  readonly user: string
  readonly password: string
  /** PEM. */
  readonly authorities?: string
}

/** Undefined: no `smtp_url`. Throws a SchedulerConfigError, which never holds the password. */
export function smtpSettingsOf(config: SchedulerConfig): SmtpSettings | undefined {
  if (config.smtp_url === undefined) return undefined
  const url = new URL(config.smtp_url)
  const authorities = authoritiesOf(config, 'smtp_tls_ca')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const encryption = encryptionFor(url.protocol, host, authorities)
  return {
    host,
    port: url.port === '' ? defaultPort(encryption) : Number(url.port),
    encryption,
    user: decoded(url.username),
    password: decoded(url.password),
    ...(authorities !== undefined && { authorities }),
  }
}

/** Plain text never leaves the machine. On it, a private authority means that TLS is wanted all the same. */
function encryptionFor(protocol: string, host: string, authorities: string | undefined): SmtpSettings['encryption'] {
  if (protocol === 'smtps:') return 'tls'
  return isLoopbackHost(host) && authorities === undefined ? 'none' : 'starttls'
}

function defaultPort(encryption: SmtpSettings['encryption']): number {
  return { tls: 465, starttls: 587, none: 25 }[encryption]
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new SchedulerConfigError(['scheduler.smtp_url: a % in user or password must be written as %25'])
  }
}
