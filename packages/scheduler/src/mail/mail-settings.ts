import type { SchedulerConfig } from '../config.js'

/** Names of the variables without which messages can't be mailed; none: they can. */
export function missingForMessages(config: SchedulerConfig): readonly string[] {
  return missing(config, ['smtp_url', 'mail_address', 'notification_email'])
}

/** The same for triggers by mail, which come back to this worker. */
export function missingForTriggers(config: SchedulerConfig): readonly string[] {
  return missing(config, ['smtp_url', 'imap_url', 'mail_address', 'mail_hmac_key'])
}

function missing(config: SchedulerConfig, keys: readonly (keyof SchedulerConfig)[]): readonly string[] {
  return keys.filter((key) => config[key] === undefined).map((key) => key.toUpperCase())
}
