import type { CallId, FromHub, LogLevel } from '@callboard/protocol'
import type { CallOutcome, ListScope } from '../port.js'
import type { CallRecord } from './call-record.js'
import type { ConnectionId, HandshakeRefusal, PeerId, Ref } from './events.js'
import type { StoredService } from './service-entry.js'
import type { ShedReason } from './service-statistics.js'

/** What the shell must do, in this order. */
export type BrokerEffect =
  | { readonly type: 'send'; readonly peer: PeerId; readonly message: FromHub }
  | { readonly type: 'settle'; readonly ref: Ref; readonly outcome: CallOutcome }
  | { readonly type: 'progress'; readonly ref: Ref; readonly body: Uint8Array }
  | { readonly type: 'log'; readonly ref: Ref; readonly level: LogLevel; readonly body: Uint8Array }
  | {
      readonly type: 'list_changed'
      readonly connections: readonly ConnectionId[]
      readonly kind: 'tools' | 'resources' | 'prompts'
      /** Whose list: the session's, for clients of the legacy generation, or the principal's, for modern ones. */
      readonly scope: ListScope
    }
  | { readonly type: 'resource_updated'; readonly connections: readonly ConnectionId[]; readonly uri: string }
  /** Closed by the broker, not by their agents. */
  | { readonly type: 'connections_ended'; readonly connections: readonly ConnectionId[] }
  /** Keep this for the next start. */
  | { readonly type: 'catalogue_changed'; readonly services: readonly StoredService[] }
  | { readonly type: 'worker_log'; readonly service: string; readonly level: LogLevel; readonly body: Uint8Array }
  | { readonly type: 'call_ended'; readonly record: CallRecord }
  /** A person's answer to a question of a call; UTF-8 JSON `{ inputResponses }`. */
  | { readonly type: 'input_answered'; readonly id: CallId; readonly body: Uint8Array }
  | { readonly type: 'notice'; readonly notice: Notice }

/** Worth a line in the log. */
export type Notice =
  | {
      readonly kind: 'worker_joined'
      readonly service: string
      readonly instance: string
      readonly version: string
      readonly trusted: boolean
      /** Whose key it signed in with. */
      readonly key?: string
      readonly refused: readonly string[]
    }
  | {
      readonly kind: 'worker_left'
      readonly service: string
      readonly instance: string
      readonly reason:
        | 'bye'
        | 'connection_lost'
        | 'hello_again'
        | 'taken_over'
        | 'send_failed'
        | 'drain_overdue'
        | 'key_revoked'
        | 'key_expired'
      readonly callsLost: number
    }
  | {
      readonly kind: 'worker_ejected'
      readonly service: string
      readonly instance: string
      readonly why: string
      readonly forMs: number
    }
  | {
      readonly kind: 'definitions_held'
      readonly service: string
      readonly identity: string
      /** Of many some. */
      readonly names: readonly string[]
      readonly count: number
    }
  | { readonly kind: 'edition_in_force'; readonly service: string; readonly version: string; readonly former: string }
  | {
      readonly kind: 'calls_shed'
      readonly service: string
      /** Of the first; undefined: those since the last line, for whatever reason. */
      readonly reason: ShedReason | undefined
      readonly count: number
      /** Whose calls; of many some. */
      readonly principals: readonly string[]
    }
  | {
      readonly kind: 'worker_suspect' | 'worker_back' | 'worker_restored'
      readonly service: string
      readonly instance: string
    }
  | {
      readonly kind: 'sign_in_refused'
      readonly service: string
      /** Whose key, as far as it is known. */
      readonly key?: string
      readonly code: string
      readonly message: string
    }
  /** What decides over others is another from now on; of tokens: which has ended. */
  | { readonly kind: 'setting_changed'; readonly what: 'policy' | 'keys' | 'pins' | 'tokens'; readonly ended?: string }
  | { readonly kind: 'handshake_refused'; readonly reason: HandshakeRefusal; readonly countSoFar: number }
  | { readonly kind: 'peer_faults'; readonly peer: PeerId; readonly code: string; readonly message: string }
