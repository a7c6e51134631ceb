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

/** How long a turn of a loop is a replica's own without a word of it, and how often that word is given. */
export const loopLeaseMs = 60_000
export const loopRenewMs = 20_000
/** A lease that ends later than any replica's clock could be wrong by was taken by a clock that was wrong. */
export const loopLeaseMsMax = 10 * loopLeaseMs
/** A turn that takes longer is aborted: some step of it hangs. */
export const loopTurnMsMax = 10 * 60_000
/** How soon a replica looks again: outside of the active hours, and at what others may have changed. */
export const loopLookMs = 60_000
/** Between two looks at a loop that somebody else runs, at least. */
export const loopLookMsMin = 1_000
/** After an error: doubled with each one in a row, never longer than the loop's interval. */
export const loopRetryMs = 60_000
export const loopRetryMsMax = 60 * 60_000
/** So many errors in a row pause a loop. */
export const loopErrorsMax = 10
export const loopPauseMs = 300_000
/** What chance adds to an interval: a share of it, so that loops do not all ask at the same second. */
export const loopJitterShare = 0.1
export const loopJitterMsMax = 60_000

/** Posts that one search brings. */
export const searchPostsMax = 25
/** Newest posts of a target account that are looked at. */
export const targetPostsMax = 10
/** Target accounts that one turn asks for; the next turn goes on behind them. */
export const targetsPerTurnMax = 20
/** A network's cursor is its own business, but not of any length. */
export const cursorLengthMax = 2_000

/** Posts that a pass of the autopilot looks at, best first, before it gives up for this time. */
export const candidatesPerPage = 100
export const candidatePagesMax = 5
/** The autopilot answers what people still talk about. */
export const autopilotPostAgeMsMax = 24 * 60 * 60_000
/** What was tried and refused is not tried again; refusals that are remembered. */
export const autopilotRefusalsMax = 500

/** Posts that one turn measures, and that one request asks for. */
export const measuredPerTurnMax = 100
export const measuredPerRequestMax = 25
/** A post that nobody asked about for so long after its last measurement was due is let go. */
export const measuringEndsMs = 14 * 24 * 60 * 60_000
/** Topics that get_stats names. */
export const topTopicsMax = 5

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
