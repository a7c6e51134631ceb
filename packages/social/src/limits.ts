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

/** A post on Bluesky, and what its lexicon takes as images; alt text has no limit there, its own client stops here. */
export const blueskyGraphemesMax = 300
export const blueskyTextBytesMax = 3_000
export const blueskyImagesMax = 4
export const blueskyImageBytesMax = 2_000_000
export const blueskyAltTextMax = 2_000
export const blueskyTagGraphemesMax = 64
/** Mentions looked up for one post, each a request; what is beyond stays plain text. */
export const blueskyMentionsMax = 10

/** What `getPosts` and `getProfiles` take at a time. */
export const blueskyBatchMax = 25
/** Notifications are read back to the last known one, this far at most. */
export const blueskyNotificationPage = 50
export const blueskyNotificationPagesMax = 4

/** A server allows 30 in five minutes and 300 in a day for the account, which has other programs, too. */
export const blueskyLogins = [
  { max: 10, windowMs: 5 * 60_000 },
  { max: 100, windowMs: 24 * 60 * 60_000 },
] as const
/** After a refused login: the pause before the next, which doubles up to the hour. */
export const blueskyLoginPauseMs = 60_000
export const blueskyLoginPauseMsMax = 60 * 60_000
/** Longest name or password and token that makes sense, and what is shown of a server's own words. */
export const blueskyTokenMax = 8_192
export const blueskyWordsMax = 200

/** An AppView that is away is left alone for so long where one can do without it. */
export const blueskyAppViewPauseMs = 30_000
/** Posts are indexed late: so far back a search looks again, and knows what it has seen. */
export const blueskyOverlapMs = 2 * 60_000
export const blueskySeenMax = 100
export const blueskyAccountMs = 60_000
/** A token for the AppView lives so long; renewed a minute before. */
export const blueskyAppViewTokenMs = 30 * 60_000
/** No server is believed that says "come back" later than this. */
export const blueskyRetryAfterMsMax = 24 * 60 * 60_000
/** An access token that ends within this time is renewed: the loop that does it comes once a minute. */
export const blueskyRenewMs = 90_000

/** Weight of a post on X. */
export const tweetWeightMax = 280
/** UTF-16 units of a text that twitter-text is asked about: its time grows with the square, and 280 weigh less than this with any two URLs. */
export const weightedLengthMax = 5_000
/** The same of a text whose graphemes are counted. */
export const measuredLengthMax = 20_000

/** Of a post as HTML: what is read of it, and how deep. */
export const htmlLengthMax = 100_000
export const htmlDepthMax = 50
