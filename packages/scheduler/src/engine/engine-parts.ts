import type { Foundation } from '../foundation.js'
import type { Hub } from '../hub/hub.js'
import type { Messages } from '../messages/messages.js'
import type { Runner } from '../runners/runner.js'

/** What the engine works with. */
export interface EngineParts extends Foundation {
  /** Of this process, unique over all that share the database. */
  readonly processId: string
  readonly hub: Hub
  readonly runner: Runner
  readonly messages: Messages
  /** After a commit that posted messages. */
  readonly wakeMail: () => void
  /** Other living processes on this database. */
  readonly others: () => number
  /** Kills a process group if it is still the one that was recorded; resolves when it is gone or was another's. */
  readonly killGroup: (pgid: number, identity: string) => Promise<void>
}
