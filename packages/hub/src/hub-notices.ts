import type { BrokerEffect, Notice } from './broker/effects.js'
import type { Logger } from './hub-log.js'

/** One line for each join, leave and failure; nothing per message. */
export function logNotice(log: Logger, notice: Notice): void {
  const { kind, ...fields } = notice
  switch (kind) {
    case 'worker_joined':
      return log.info(fields, 'worker joined')
    case 'worker_left':
      // Whoever filters for warnings wants to see the crashes, and not each restart.
      return notice.reason === 'bye' ? log.info(fields, 'worker left') : log.warn(fields, 'worker was lost')
    case 'worker_suspect':
      return log.warn(fields, 'worker is late with its heartbeat: no new calls')
    case 'worker_back':
      return log.info(fields, 'worker is back')
    case 'worker_ejected':
      return log.warn(fields, 'worker fails where others do not: no new calls for a while')
    case 'worker_restored':
      return log.info(fields, 'worker gets calls again')
    case 'definitions_held':
      return log.warn(fields, 'definitions are held back until an operator accepts them')
    case 'edition_in_force':
      return log.info(fields, 'other definitions are in force')
    case 'calls_shed':
      return log.warn(fields, 'calls are refused: more come than the workers take')
    case 'sign_in_refused':
      return log.warn(fields, 'sign-in refused')
    case 'setting_changed':
      return log.debug(fields, 'another policy, key, pin or token counts')
    case 'handshake_refused':
      return log.warn(fields, 'a connection was refused before sign-in')
    case 'peer_faults':
      // A hostile peer chooses how many of these there are.
      return log.debug(fields, 'malformed frames dropped')
    default:
      kind satisfies never
  }
}

const severe: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency'])

export function logWorkerLog(
  log: Logger,
  { service, level, body }: Extract<BrokerEffect, { type: 'worker_log' }>,
): void {
  const fields = { service, level, body: Buffer.from(body).toString('utf8').slice(0, 4_096) }
  if (severe.has(level)) log.error(fields, 'worker log')
  else log.debug(fields, 'worker log')
}
