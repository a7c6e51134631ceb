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

/** Weight of a post on X. */
export const tweetWeightMax = 280
/** UTF-16 units of a text that twitter-text is asked about: its time grows with their square, and no URL it knows is longer than 4,096. */
export const weightedLengthMax = 5_000
/** The same of a text whose graphemes are counted. */
export const measuredLengthMax = 20_000

/** Of a post as HTML: what is read of it, and how deep. */
export const htmlLengthMax = 100_000
export const htmlDepthMax = 50

/** Characters of a post that is kept; every network's own limit is lower, and a score needs no more. */
export const postTextMax = 10_000
/** Of a name, a language, an address, and of a post's id: one with a longer id can not be kept. */
export const postNameMax = 256
export const postUrlMax = 2_048
export const postIdMax = 512
/** Of likes and the like. */
export const postCountMax = 1_000_000_000

/** Posts on one page of the feed. */
export const feedPageMax = 200
/** A page is a view of its own time: so much later nobody turns it any more. */
export const feedCursorMs = 24 * 60 * 60_000
/** Characters of a feed's cursor. */
export const cursorLengthMax = 512

/** A network's clock, or an agent's, may be ahead of ours. */
export const clockSkewMs = 5 * 60_000
