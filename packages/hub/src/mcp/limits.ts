import { inputWaitMsMax, keyLengthMax } from '@callboard/protocol'

/** Every limit of the MCP shells, with the reason for its value. */

/** The SDK's own bound for a stdio message; a larger line is answered by an error and skipped. */
export const lineBytesMax = 10 * 1024 * 1024
/** Past this the client is reading slower than it asks, so we stop reading what it asks. */
export const outboundPauseBytes = 1024 * 1024
/** Past this the client has stopped reading while answers still arrive: the connection is closed. */
export const outboundBytesMax = 64 * 1024 * 1024
/** Levels of objects and arrays in one message: whoever walks a deeper one, to check or to write it, runs out of stack. */
export const depthMax = 128
/** Replies to lines that name no request, per second; further ones are only counted. */
export const faultRepliesPerSecondMax = 20
/** Messages in a batch array of 2025-03-26, as the SDK bounds it over HTTP. */
export const batchMessagesMax = 100
/** After EOF, how long answers to what was asked before it may still go out. */
export const eofGraceMs = 1_000
/** How long a closing connection may take to hand over what was written. */
export const closeFlushMs = 500

/** The attach line holds a name, a token, a key and patterns. */
export const attachBytesMax = 4 * 1024
/** Patterns that a client gives in its attach line or in a URL, with commas. */
export const toolsTextLengthMax = 2 * 1024
export const attachTimeoutMs = 5_000
/** Agents of one user; each is a process with a pipe. */
export const socketConnectionsMax = 4_096

/** Bytes of begun lines that the hub keeps for all agents of the socket together, each piece's own cost included. */
export const unfinishedBytesMax = 128 * 1024 * 1024
/** Of every line beside that, so that whoever fills the budget keeps nobody from asking small things. */
export const unfinishedBytesFree = 64 * 1024

/** Entries per page of a list: all of a catalogue in practice, and a bound on one message. */
export const pageSize = 1000
/** The same bound for entries that are large, which a page of its own size may exceed only by being a single entry. */
export const pageBytesMax = 1024 * 1024
/** `_meta` strings of Callboard's own. */
export const metaTextLengthMax = keyLengthMax
/** A question to a person, as long as the wire lets a call be suspended. */
export const inputWaitMs = inputWaitMsMax
/** Rounds of questions within one legacy call; a worker that asks more is in a loop. */
export const inputRoundsMax = 32
/** Questions in one round. */
export const inputRequestsMax = 16
/** Suspended modern calls of all clients; beyond it whoever has most gives up its oldest. */
export const suspendedCallsMax = 10_000
/** Of one principal; beyond it its oldest is given up, and nobody else's. */
export const suspendedCallsPerPrincipalMax = 1_000
/** Resource URIs that one connection, or one subscription, may watch. */
export const watchedUrisMax = 1024
/** Of all of them together: they stay in memory for as long as a client that says nothing more. */
export const watchedCharactersMax = watchedUrisMax * 128

if (outboundPauseBytes >= outboundBytesMax) throw new Error('reading must pause long before the connection is given up')

/** Lines that one connection handles before the next one has its turn, and all of them before the workers are heard again: some
 * ten milliseconds, far less than a heartbeat. */
export const linesInARowMax = 32
export const linesPerTurnMax = 128
/** What a line costs, in units of which one that takes the direct way costs a single one. */
export const lineCost = 8
/** What of a line costs another unit: to parse so many bytes takes as long as all else of a call that takes the direct way. */
export const lineBytesPerUnit = 4 * 1024

/** From here on a line is written from where its bytes lie: to join it with others would copy it twice. */
export const largeLineBytes = 128 * 1024
/** Kinds of modern clients, by all that they say of themselves, that are known at once. */
export const knownEnvelopesMax = 256
