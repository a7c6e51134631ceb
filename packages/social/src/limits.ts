/** A timer of Node fires at once beyond 2^31-1 ms; and a clock that was set is noticed this soon. */
export const sleepMsMax = 60_000

/** Calls held at once. */
export const concurrentCallsMax = 32

/** How long a reply is kept for a repeat of its call. */
export const replyMs = 24 * 60 * 60_000

/** Of refused input: problems that are named, and characters that are shown of a value. */
export const shownProblemsMax = 10
export const shownValueMax = 60

/** Levels of an argument. */
export const argumentDepthMax = 16

/** A request to a network or an LLM. */
export const httpTimeoutMs = 15_000
export const httpBodyBytesMax = 4 * 1024 * 1024

/** After the first try of a read; the pause before the second one, which doubles. */
export const readRetries = 2
export const readRetryMs = 500

/** Posts of a thread, and files of one post. */
export const partsMax = 25
export const mediaPerPartMax = 4

/** Characters of one part as given; every network's own limit is lower. */
export const partLengthMax = 10_000

/** Graphemes of a post on Mastodon unless its server says otherwise; on the built-in network, too. */
export const statusLengthMax = 500
/** What a URL counts there. */
export const statusUrlLength = 23

/** A file that holds one secret: tokens have some hundred bytes. */
export const secretFileBytesMax = 16 * 1024
