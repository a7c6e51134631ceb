/** Every limit of the wire, with the reason for its value. Both ends keep them; the sender before it sends. */

/** A body, and the bodies of a batch together: larger MCP results are an abuse of a context window; offer a link instead. */
export const bodyBytesMax = 4 * 1024 * 1024
/** A head is a few hundred bytes; a full batch of them stays well below this. */
export const headBytesMax = 256 * 1024
/** What a socket accepts per frame: past it ZeroMQ drops the connection, so it must never be reached by a correct peer. */
export const frameBytesMax = bodyBytesMax
/** Messages in one batch: enough to fill one event-loop turn, few enough that one peer cannot hold the loop. */
export const batchMessagesMax = 128
/** Nesting of a head's values: `caller.run` is the deepest at 3; the rest is room for later versions. */
export const headDepthMax = 8

export const nameLengthMax = 128
export const uriLengthMax = 4096
export const serviceLengthMax = 32
export const idLengthMax = 96
export const keyLengthMax = 256
export const textLengthMax = 2048
/** Session ids, principals, groups. */
export const identityLengthMax = 256
export const nonceBytes = 32
export const proofBytes = 32
/** An X25519 key, and the same in Z85. */
export const curveKeyBytes = 32
export const curveKeyLength = 40

export const concurrencyMax = 4096
/** Calls nested in calls: deeper chains are loops in practice. */
export const depthMax = 8

/** Calls that READY may say it still holds. */
export const heldMax = concurrencyMax

export const toolsPerWorkerMax = 2000
/** What one session sees: as much as its own tools with their schemas may need. */
export const viewBytesMax = 1024 * 1024
/** The names and URIs of one view together: the hub counts each for each principal. */
export const viewNamesLengthMax = 64 * 1024
/** Tools of one view: a model sees all of them at once. */
export const ownToolsMax = 128
export const heartbeatMsMin = 100
export const heartbeatMsMax = 60_000
export const heartbeatMsDefault = 1_000
/** An hour: what a definition may ask for by `timeoutMs`. */
export const deadlineMsMax = 3_600_000
export const deadlineMsDefault = 120_000
/** People are slow; a forgotten question must still end. */
export const inputWaitMsMax = 600_000
export const drainMsMax = 3_600_000
export const drainMsDefault = 30_000
/** Largest time in a message: 2^53 − 1 would do, a year-9999 bound finds unit mistakes. */
export const timeMax = 253_402_300_799_999
