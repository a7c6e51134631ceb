/** Every limit of the SDK that is not one of the wire's, with the reason for its value. */

export const concurrencyDefault = 16

/** How long a HELLO or READY may stay unanswered before it is said again; doubles up to the second value. */
export const signInWaitMs = 1_000
export const signInWaitMsMax = 5_000
/** The pause before a HELLO that follows a refusal: none the first time, then this, doubling up to the second value. */
export const restartPauseMs = 100
export const restartPauseMsMax = 5_000

/** Echoes that the clock estimate remembers: at one a second, a clock that was set is believed after a quarter minute. */
export const clockSamplesMax = 16

/** Ids of answered calls that are remembered to tell a doubled REQUEST: more than any hub has in flight to one worker. */
export const answeredMax = 8_192
/** Requests held back after a gap of the event loop; a hub keeps to the credits, so a correct one never reaches it. */
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

/** Messages that may wait while the socket takes none; beyond it the oldest LOG and PROGRESS go first, then anything. */
export const outboxMessagesMax = 32_768
export const outboxBytesMax = 64 * 1024 * 1024
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
