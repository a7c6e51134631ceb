import { readFileSync } from 'node:fs'
import { type SchedulerConfig, SchedulerConfigError } from '../config.js'

/** The private authorities of a mail server, in PEM; undefined: those that everybody trusts. Throws a SchedulerConfigError. */
export function authoritiesOf(config: SchedulerConfig, key: 'smtp_tls_ca' | 'imap_tls_ca'): string | undefined {
  const path = config[key]
  if (path === undefined) return undefined
  const text = read(path, key)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new SchedulerConfigError([`scheduler.${key}: ${path} holds no certificate in PEM form`])
}

function read(path: string, key: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SchedulerConfigError([`scheduler.${key}: ${(error as Error).message}`])
  }
}
