import { bodyBytesMax } from '@callboard/protocol'
import { inputWaitMs } from '../mcp/limits.js'

/** Every limit of the HTTP front, with the reason for its value. */

/** What JSON-RPC wraps around the params, which may be as large as a worker takes them. */
const envelopeBytesMax = 64 * 1024
export const requestBytesMax = bodyBytesMax + envelopeBytesMax
/** Of the facade, as its contract has it: its body is hardly more than the arguments. */
export const facadeBytesMax = bodyBytesMax
/** Bodies that are being read, of all clients together. */
export const unfinishedBodiesBytesMax = 128 * 1024 * 1024
/** Node's own default; a mirrored tool argument is a routing key and no document. */
export const headersBytesMax = 16 * 1024
/** For headers, and for the whole of a request: a client that dawdles holds a connection. */
export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 30_000
/** How exactly both are kept. */
export const timeoutCheckIntervalMs = 5_000
export const keepAliveTimeoutMs = 60_000
/** For the largest answer over a slow line. */
export const untakenAnswerMs = 5 * 60_000
/** Of all answers and streams together, sent and not yet taken: dozens of the largest at once. */
export const unreadAnswersBytesMax = 256 * 1024 * 1024
/** How often that is looked at. */
export const unreadCheckIntervalMs = 1_000
/** Agents and the streams that each holds open. */
export const connectionsMax = 1024

/** Less than any proxy waits for a stream that says nothing; most cut after 60 s, some after 30. */
export const streamKeepAliveMs = 15_000
/** Sent and not yet taken from one stream: some of the largest answers. Its reader has stopped reading. */
export const streamUnreadBytesMax = 16 * 1024 * 1024
/** Of a stream that is read here, for a client that wants its answers as one JSON text: the same for the same reason. */
export const collapsedBytesMax = streamUnreadBytesMax
/** Requests for lists in one batch: there are five lists, and what asks for one is small beside what it gets. */
export const batchListsMax = 8
/**
 * How long an answer may come by itself. After that a client that reads streams gets one: the client of a session can come back for it then,
 * and whoever is on the way hears signs of life.
 */
export const directPatienceMs = 500
/** Up to this a worker's bytes are written together with what is around them: one call of the system and not two, for one more copy. */
export const joinedBytesMax = 64 * 1024

/** After a stream has ended, before a client comes for the rest of it. SDK clients try twice: a hub that was killed has that long to be back. */
export const streamRetryMs = 2_000

/** What one legacy session may come back for: two of the largest answers. */
export const keptEventsBytesMax = 2 * bodyBytesMax
export const keptEventsMax = 1024
/** Streams of one session, for each of which an event may be asked for. */
export const keptStreamsMax = 256
/** Of all sessions together. */
export const keptEventsTotalBytesMax = 128 * 1024 * 1024
/** A client that lost its connection is back long before. */
export const keptAnswersMs = 5 * 60_000

/** Legacy clients that came by and may come back. */
export const legacySessionsMax = 4_096
export const legacySessionIdleMs = 30 * 60_000
/** With a token of the largest size beside it, most of the headers that a client or a proxy sends still fit. */
export const sealedIdLengthMax = 2_048
/**
 * Since the session was opened, which is the one time that its id can tell. Programs run for weeks between two starts; and all that an
 * older id could do is open an empty session for whoever could open one without it.
 */
export const sealedIdMsMax = 30 * 24 * 60 * 60_000
/** Ended sessions whose id must open nothing more: many times those that can be open. Of 64 bytes each. */
export const endedSessionsMax = 16 * 1024
/** Of the ids of open requests, in the id of an event: SDK clients count, and others use UUIDs. */
export const openRequestsLengthMax = 512
/** Of what we make: the name of a stream, a life and a serial beside them. */
export const eventIdLengthMax = openRequestsLengthMax + 128
/** Distinct identities of stateless clients. */
export const sharedConnectionsMax = 1024
/** Of either, for one principal: callers without a token are one, and a quarter is enough for them. */
export const principalPlacesMax = 256
/** What a session has open, like a project, outlives a person's pause between two requests. */
export const sharedConnectionIdleMs = legacySessionIdleMs
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

/** Spellings of the `Host` header that need not be read anew: one per client in practice. */
export const knownHostsMax = 64

/** Names of headers that a page wants to send. */
export const preflightHeadersLengthMax = 4096
/** Chrome remembers no longer than two hours, Firefox a day; ten minutes spare nearly all questions. */
export const preflightSecondsMax = 600

if (sharedConnectionIdleMs <= inputWaitMs)
  throw new Error('a connection must outlive the questions that were asked on it, which wait while no request is open')
if (streamUnreadBytesMax <= requestBytesMax) throw new Error('the largest answer must fit a stream')
if (keptEventsBytesMax > keptEventsTotalBytesMax) throw new Error('one session must fit what is kept for all')
