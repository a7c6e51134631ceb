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
/** A token is checked by what the authorization server said of its keys within this time. */
export const keysAgeMsMax = 10 * 60_000
/** Tokens with a key that nobody knows must not make us ask for one each time. */
export const keysCooldownMs = 30_000
/** A client waits for it; a server that takes longer is as good as down. */
export const issuerTimeoutMs = 5_000
/** How long a server that failed is left alone, and what clients are told to wait. */
export const issuerRetryMs = 5_000
/** Metadata and key sets have a few KiB. */
export const issuerAnswerBytesMax = 256 * 1024
/** Half of what Node takes as headers; tokens have one or two KiB. */
export const tokenLengthMax = 8 * 1024
/** Clocks of different machines differ by seconds. */
export const clockToleranceMs = 30_000
/** Past the end of its token, for a client to come back with the next: what it has open is closed at the next sweep then. */
export const renewalMs = 30_000
/** Tokens whose signature need not be checked again, for so long: then a key that the server withdrew counts no more. */
export const verifiedTokensMax = 1_024
export const verifiedMsMax = 5 * 60_000
/** Wrong tokens a minute that are answered at once: more than clients with an old one show, and fewer than guessing takes. */
export const failedAttemptsFree = 20
export const failedAttemptsWindowMs = 60_000
export const failedAttemptPauseMs = 1_000
/** After which a closing server cuts what is still open. */
export const closeGraceMs = 500

if (sharedConnectionIdleMs <= inputWaitMs)
  throw new Error('a connection must outlive the questions that were asked on it')
