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

/** A sliding one, wherever the rules say "today". */
export const dayMs = 24 * 60 * 60_000

/** Posts of ours that a new one is compared with; each part of a thread is one. */
export const comparedPostsMax = 50
/** Share of the word triples that two posts may not reach, and from which on a person is told. */
export const likenessDenied = 0.6
export const likenessNoted = 0.4
/** No second post with the same content before or behind one. */
export const duplicateMs = 5 * 60_000
/** Replies in a row of which a share may name the product: so many that a fifth of them is a few. */
export const productReplySpan = 20

export const hourMs = 60 * 60_000

/** How long a check of somebody's health may take: a person waits for it. */
export const checkMs = 5_000
/** Characters of what a network or an LLM says of itself. */
export const checkWordsMax = 300

/** Posts that nobody replied to: whoever wrote them does not wait any longer. */
export const unrepliedKeptMs = 7 * dayMs
export const actionLogKeptMs = 14 * dayMs
/** Posts are measured for the last time when they are seven days old. */
export const itemKeptMsMin = 8 * dayMs
/** A file without an item: its proposal was refused, or is being stored. */
export const looseMediaKeptMs = dayMs
/** Pruning: a writer waits for one statement at most, and a round ends. */
export const prunedRowsPerStatement = 500
export const pruneStatementsMax = 20
