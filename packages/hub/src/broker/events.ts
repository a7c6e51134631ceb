import type { CallId, Client, Fault, FromWorker, WorkerMethod } from '@callboard/protocol'
import type { Policy } from '../policy/policy.js'
import type { Identity } from '../port.js'
import type { StoredService } from './service-entry.js'

/** An opaque id of a connected worker: the shell's routing id. */
export type PeerId = string
/** Why a connection came to nothing before there was a peer. */
export type HandshakeRefusal =
  | 'unknown_key'
  | 'expired_key'
  | 'malformed_key'
  | 'foreign_user'
  | 'wrong_mechanism'
  | 'wrong_hub_key'
  | 'protocol_error'
  | 'too_slow'
  | 'broken_off'
  | 'no_file_descriptor'
/** Where a connection to a socket of workers has got to. */
export type ConnectionStage = 'accepted' | 'handshaken' | 'ended'
/** An opaque id of an agent's connection. */
export type ConnectionId = number
/** One turn of an agent's call: settled exactly once. */
export type Ref = number

/** Everything that can happen to the broker. */
export type BrokerEvent =
  // From the workers' side
  | { readonly type: 'peer_connected'; readonly peer: PeerId }
  | { readonly type: 'peer_lost'; readonly peer: PeerId }
  | { readonly type: 'message'; readonly peer: PeerId; readonly message: FromWorker }
  | { readonly type: 'faults'; readonly peer: PeerId; readonly faults: readonly Fault[] }
  /** A frame could not be handed to the socket; the peer is gone or hopelessly behind. */
  | { readonly type: 'send_failed'; readonly peer: PeerId }
  /** The file of keys has changed, or one has expired. */
  | { readonly type: 'keys_changed' }
  /** Somebody did not get through the handshake of a socket. */
  | { readonly type: 'handshake_refused'; readonly reason: HandshakeRefusal }
  | { readonly type: 'worker_connection'; readonly stage: ConnectionStage }
  // From the agents' side
  | { readonly type: 'connection_opened'; readonly connection: ConnectionId; readonly identity: Identity }
  | { readonly type: 'connection_closed'; readonly connection: ConnectionId }
  | { readonly type: 'session_left'; readonly connection: ConnectionId }
  | { readonly type: 'call'; readonly ref: Ref; readonly connection: ConnectionId; readonly call: CallWish }
  | { readonly type: 'cancel'; readonly ref: Ref }
  | {
      readonly type: 'resume'
      readonly ref: Ref
      readonly connection: ConnectionId
      readonly id: CallId
      readonly body: Uint8Array
      /** What the client says of itself now; absent: what it said before. */
      readonly client?: Client
    }
  | { readonly type: 'abandon'; readonly connection: ConnectionId; readonly id: CallId }
  | { readonly type: 'subscribe' | 'unsubscribe'; readonly connection: ConnectionId; readonly uri: string }
  | { readonly type: 'roots_changed'; readonly connection: ConnectionId }
  /** Whoever showed it is out: {@link Identity.credential}. */
  | { readonly type: 'credential_revoked'; readonly credential: string }
  // From the operator and from time
  | { readonly type: 'catalogue_restored'; readonly services: readonly StoredService[] }
  /** What operators have accepted, see `pinning`; undefined: nothing has to be accepted. */
  | { readonly type: 'pins_changed'; readonly accepted: ReadonlySet<string> | undefined }
  | { readonly type: 'drain'; readonly target: DrainTarget; readonly drainMs: number }
  /** Undefined: there is none any more. */
  | { readonly type: 'policy_changed'; readonly policy: Policy | undefined }
  /** Nothing happens to a service that is not away. */
  | { readonly type: 'forget'; readonly service: string }
  /** The end: workers that have not left are let go. */
  | { readonly type: 'stop' }
  | { readonly type: 'tick' }

/** What an agent asks for, before the broker has made a call of it. */
export interface CallWish {
  readonly method: WorkerMethod
  readonly name: string
  /** UTF-8 JSON of the MCP params, passed on untouched. */
  readonly body: Uint8Array
  readonly client: Client
  /** How long at most; the definition's own limit holds beside it. */
  readonly timeoutMs?: number | undefined
  readonly idempotencyKey?: string | undefined
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

export type DrainTarget =
  | { readonly kind: 'all' }
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'instance'; readonly instance: string }
