import { randomUUID } from 'node:crypto'
import type { Store } from '@callboard/store'
import type { KernelSchema } from '../records/schema.js'
import { SessionContents } from '../records/session-contents.js'
import { SessionRecords } from '../records/session-records.js'
import { Events } from './events.js'
import type { Clocks } from './rule-texts.js'
import { SessionService } from './session-service.js'

/** What a worker has of sessions, over its store and this machine's clocks. */
export interface Sessions {
  readonly records: SessionRecords
  readonly contents: SessionContents
  readonly events: Events
  readonly clocks: Clocks
  readonly service: SessionService
}

/** `failed` hears of writes that nobody waits for. Close the service before the store. */
export function openSessions(
  store: Store<KernelSchema>,
  instance: string,
  failed: (error: unknown) => void = () => {},
): Sessions {
  const clocks: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() }
  const records = new SessionRecords(store, { instance, now: clocks.wall, newId: randomUUID })
  const contents = new SessionContents(store, clocks.wall)
  // Names this start of the worker in cursors; short, for agents copy them.
  const events = new Events(randomUUID().slice(0, 8))
  const service = new SessionService({ records, contents, events, clocks, newId: randomUUID, failed })
  return { records, contents, events, clocks, service }
}
