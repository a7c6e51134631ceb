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

/** A model's answer may take this long. */
export const modelTimeoutMs = 30_000
/** After 429 and 5xx without a word of when to come back; after 529, which means that all of its callers are too many. */
export const modelRetryMs = 60_000
export const modelOverloadedRetryMs = 30_000
/** What a model asks to wait is not believed beyond this. */
export const modelRetryMsMax = 24 * 60 * 60_000
/** How long the answer to "which models are there" is kept. */
export const modelCheckMs = 60_000
/** Characters of what an endpoint says of its own error. */
export const modelWordsMax = 300
/** Characters of an answer that are looked at: more than any of our questions has room for. */
export const modelTextMax = 10_000
/** A model that reports more tokens than this has not counted them. */
export const modelTokensMax = 1_000_000_000

/** Tokens of an answer: room for the text and little else. */
export const replyTokensMax = 200
export const postTokensMax = 150
export const threadTokensMax = 1_500
/** Questions to the model for one text: the second one says what was wrong. A thread has more that can go wrong. */
export const postAttempts = 2
export const threadAttempts = 3
/** Longer than all attempts together may take. */
export const writeTimeoutMs = 90_000
export const threadTimeoutMs = 180_000

export const replySentencesMax = 3
export const threadPartsMin = 5
export const threadPartsMax = 8

/** Characters that are given to the model of each of the operator's opinions and experiences together. */
export const personaLengthMax = 8_000

/** Characters of a topic. */
export const topicLengthMax = 200
/** Suggested at once. */
export const suggestionsMax = 25
/** A topic rests this long after it was written about. */
export const topicRestMs = 7 * 24 * 60 * 60_000
/** How many posts of an average topic each topic is thought to have had already: one lucky post is no proof. */
export const topicPriorPosts = 3
/** Rows that are read to rank topics. */
export const topicRowsMax = 5_000
/** How often a loop tries another topic than the best one. */
export const topicExploreShare = 0.2
