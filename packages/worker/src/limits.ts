import { bodyBytesMax } from '@callboard/protocol'

/** Every limit of the SDK that is not one of the wire's, with the reason for its value. */

export const concurrencyDefault = 16

/** How long a HELLO or READY may stay unanswered before it is said again; doubles up to the second value. */
export const signInWaitMs = 1_000
export const signInWaitMsMax = 5_000
/** The pause before a HELLO that follows a refusal: none the first time, then this, doubling up to the second value. */
export const restartPauseMs = 100
export const restartPauseMsMax = 5_000
/** Without a sign-in for so long a worker says so in its log; a hub that restarts is often back sooner. */
export const noHubNoticeMs = 1_000
/** And again, for whoever looks at the end of a log. */
export const noHubRepeatMs = 60_000

/** Echoes that the clock estimate remembers: at one a second, a clock that was set is believed after a quarter minute. */
export const clockSamplesMax = 16

/** Ids of answered calls that are remembered to tell a doubled REQUEST: half of it is more than a hub has in flight to one worker. */
export const answeredMax = 16_384 /** Requests held back after a gap of the event loop; a hub keeps to the credits, so a correct one never reaches it. */
export const waitingMax = 4_096
/** Handlers alive at once over all depths, those of lost connections included. */
export const handlersMax = 8_192
/** CALLs of this worker that wait for their RESULT. */
export const openCallsMax = 4_096
/** Questions that one call may have waiting behind the one that is asked. */
export const questionsMax = 32
/** Sessions remembered, to notice after a hub's restart that they are gone. */
export const sessionsMax = 16_384
/** Sessions with a view of their own. */
export const viewsMax = 16_384
export const subscriptionsMax = 16_384
/** EVENTs kept for the next sign-in while there is no hub; equal ones count once. */
export const eventsMax = 1_024

/** Until the hub acknowledged a DRAIN, requests may still be on their way; a hub that says nothing is not waited for. */
export const drainAcknowledgeMs = 1_000
/** Aborted handlers get this long to clean up before BYE. */
export const abortGraceMs = 2_000
/** For the hub's BYE, which confirms the last RESPONSE. */
export const byeWaitMs = 1_000

/** PROGRESS and LOG are by the way: larger ones are cut. */
export const progressTextMax = 2_048
export const logBytesMax = 64 * 1024
export const completionValuesMax = 100
/** A question's key goes to the client and comes back with the answer. */
export const questionKeyMax = 128

/** Messages that may wait while the socket takes none; beyond it the oldest LOG and PROGRESS go first, then anything. */
export const outboxMessagesMax = 32_768
export const outboxBytesMax = 64 * 1024 * 1024
/** A body from this size on travels alone: to join it to others would copy it, which costs more than a frame of its own. */
export const sharedBodyBytesMax = 64 * 1024
/** How soon a full socket is tried again. */
export const outboxRetryMs = 5
/** Messages that ZeroMQ itself holds per direction; credits are the flow control, this is the backstop. */
export const highWaterMark = 1_000
/** What the socket may still deliver after close: BYE and the last responses. */
export const lingerMs = 300
export const reconnectMs = 100
/**
 * A socket without a link for so long is replaced: after a protocol error, such as an oversized frame, libzmq never
 * reconnects. Thirty of its own tries, so that a hub that merely restarts is found by these.
 */
export const socketRenewMs = 3_000

/** A result beyond one message is kept for its reader: long enough to read it, too short to be a store. */
export const keptMs = 10 * 60_000
/** Of one result, as JSON: more is a file, and belongs where files are. */
export const keptBytesEachMax = 64 * 1024 * 1024
/** Of one principal, whose newest results then push out its oldest; twice a result, since it may be kept in two forms. */
export const keptBytesPerOwnerMax = 128 * 1024 * 1024
/** Of all principals; text may need twice as much of the heap. A newcomer beyond it is refused, what is there was promised. */
export const keptBytesMax = 256 * 1024 * 1024
export const keptCountMax = 4_096
export const keptCountPerOwnerMax = 512
/** Items of one result that become links of their own; of more, nobody would read each. */
export const linkedItemsMax = 64
/**
 * UTF-16 units of one part of a text: so many a model can still read, and JSON makes at most six bytes of each, so that a
 * part fits into a message whatever it holds.
 */
export const keptTextPartMax = 512 * 1024
/** A part as base64 fits into a message; a multiple of three, so that the base64 of parts can be joined as text too. */
export const keptBlobPartBytesMax = 3_000_000
/** Smaller items stay in the result: a link is hardly smaller. */
export const linkedBytesMin = 4 * 1024
/** For the words that go with the links, and one link. */
export const noteBytesMax = 16 * 1024

if (keptBytesPerOwnerMax < 2 * keptBytesEachMax || keptCountPerOwnerMax < 2 * linkedItemsMax)
  throw new Error('a result must not push out its own parts')
if (keptTextPartMax * 6 + noteBytesMax > bodyBytesMax) throw new Error('a part of a text must fit into a message')
if (keptBlobPartBytesMax * (4 / 3) + noteBytesMax > bodyBytesMax) throw new Error('a part of bytes must fit too')

/** Of a refused value in the refusal: enough to know it by. */
export const shownValueMax = 80

/** Of one call's arguments, named in the refusal: an object may have thousands of unknown keys. */
export const shownProblemsMax = 20

/** Of objects and lists in an argument: more is nobody's tool call, and a stack is finite. */
export const argumentDepthMax = 64

/** A timer of Node fires at once beyond 2^31-1 ms; and a clock that was set is noticed this soon. */
export const sleepMsMax = 60_000

/** Two lines and comments. */
export const keyFileBytesMax = 4 * 1024
/** The hub's key, the one after it, and the one before. */
export const hubKeysMax = 4
