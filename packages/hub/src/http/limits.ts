import { bodyBytesMax } from '@callboard/protocol'
import { inputWaitMs } from '../mcp/limits.js'

/** Every limit of the HTTP front, with the reason for its value. */

/** As much as a worker takes; the SDK's own bound is the same. */
export const requestBytesMax = bodyBytesMax
/** For headers, and for the whole of a request: a client that dawdles holds a connection. */
export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 30_000
export const keepAliveTimeoutMs = 60_000
/** Agents and the streams that each holds open. */
export const connectionsMax = 1024
/** Legacy clients that came by and may come back. */
export const legacySessionsMax = 1024
export const legacySessionIdleMs = 30 * 60_000
/** Distinct identities of stateless clients. */
export const sharedConnectionsMax = 1024
/** Of either, for one principal: callers without a token are one, and a quarter is enough for them. */
export const principalPlacesMax = 256
/** A call that asked its caller for input waits on the connection of a request that is over. */
export const sharedConnectionIdleMs = inputWaitMs + 60_000
export const sweepIntervalMs = 30_000
/** After which a closing server cuts what is still open. */
export const closeGraceMs = 500

if (sharedConnectionIdleMs <= inputWaitMs)
  throw new Error('a connection must outlive the questions that were asked on it')
