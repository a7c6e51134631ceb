import type { FromHub, FromWorker, Message } from './messages.js'

/** Types that only a hub sends; those that both ends send are not among them. */
const hubOnly: ReadonlySet<string> = new Set<FromHub['type']>([
  'challenge',
  'welcome',
  'reject',
  'request',
  'resume',
  'result',
  'subscribe',
  'unsubscribe',
  'roots_changed',
  'session_closed',
  'sessions',
  'heartbeat_echo',
])

/** Whether a worker may send it; a hub drops and counts what it may not. [CB-83] */
export function isFromWorker(message: Message): message is FromWorker {
  return !hubOnly.has(message.type)
}
