/** Calls held at once. */
export const concurrentCallsMax = 32

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

/** After this a reply answers what nobody talks about any more. Counted from its due time. */
export const replyStaleMs = 6 * 60 * 60_000

/** How long a publisher has a row; renewed before each part. Longer than any one request and its uploads. */
export const publishLeaseMs = 60_000
/** A lease that ends later than this was taken by a clock that was wrong. */
export const publishLeaseMsMax = 10 * publishLeaseMs
/** No network is believed that says "come back" later than this. */
export const publishRetryAfterMsMax = 24 * 60 * 60_000

/** Tries of a part that was not sent; the pause after the first, which doubles, and its most. */
export const publishTriesMax = 6
export const publishRetryMs = 30_000
export const publishRetryMsMax = 15 * 60_000

/** How often others' rows, and what is due, are looked for. */
export const publishPollMs = 15_000

/** How long a network that refuses our credentials is left alone. */
export const refusedPauseMs = 15 * 60_000

/** A post that can not be found this long after it was sent was not stored. */
export const absenceMs = 30_000

/** Until when a post that could not be read back is asked for. */
export const readBackMs = 24 * 60 * 60_000

/** A person decides in bulk about so many. */
export const approvalBatchMax = 50

/** Characters of the reason of a rejection. */
export const reasonMax = 500

/** The built-in network: posts of one answer, and posts that one question looks through, newest first. */
export const localPageMax = 50
export const localScanMax = 1_000

/** Its files: each lies in the database as text. */
export const localMediaBytesMax = 8 * 1024 * 1024
export const localAltTextMax = 1_500

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

/** How far two clocks may be apart: ours, another replica's, a network's, that of whoever calls us. */
export const clockSkewMs = 5 * 60_000

export const hourMs = 60 * 60_000

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

/** All files of one item: they are in memory together while it is proposed. */
export const mediaTotalBytesMax = 32 * 1024 * 1024
/** That of Linux. */
export const mediaPathLengthMax = 4_096

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
/** UTF-16 units of a text that twitter-text is asked about: its time grows with their square, and no URL it knows is longer than 4,096. */
export const weightedLengthMax = 5_000
/** The same of a text whose graphemes are counted. */
export const measuredLengthMax = 20_000

/** Of a post as HTML: what is read of it, and how deep. */
export const htmlLengthMax = 30_000
export const htmlDepthMax = 50

/** X: of its own words in a refusal, shown to people. */
export const xRefusalTextMax = 200
/** When it does not say how long a limit holds: its usual window. */
export const xRateWindowMs = 15 * 60_000
/** Every look at the own account costs money; followers are noted once a day. */
export const xAccountMs = 6 * 60 * 60_000
/** An access token is renewed before its last minutes; the one who does so has this long. */
export const xRenewAheadMs = 2 * 60_000
export const xRenewalLeaseMs = 30_000
export const xRenewalRetryMs = 5_000
/** Mentions of one answer and answers that are read at once, at most. */
export const xMentionsMax = 25
export const xMentionPagesMax = 4
/** Posts of an account; that many are looked through for one that may be out already. */
export const xAuthorPostsMax = 10
export const xOwnPostsMax = 100
export const xOwnPostPagesMax = 3
/** X refuses to search from a post that is older than seven days; an hour less, for its clock. */
export const xSearchBackMs = 7 * 24 * 60 * 60_000 - 60 * 60_000
/** Posts of a search: X gives no fewer, and each costs. And its own most of a lookup. */
export const xSearchPosts = 10
export const xLookupMax = 100

/** On Mastodon: what its server says of itself is asked for again after this; who we are there, sooner: counts change. */
export const serverLimitsMs = 60 * 60_000
export const ownAccountMs = 60_000
/** What is believed of a server's own limits: more is a mistake or a trap. */
export const believedStatusLengthMax = 1_000_000
export const believedUrlLengthMax = 1_000
/** Characters of a file's description on Mastodon, by its documentation. */
export const mediaDescriptionMax = 1_500
/** Bytes of a file unless the server says otherwise: the lowest that Mastodon has had. */
export const imageBytesMax = 10 * 1024 * 1024
export const videoBytesMax = 40 * 1024 * 1024
/** A file takes longer than a question. */
export const mediaUploadMs = 60_000
/** The server works on a file: asked this often, for this long; then the post waits for a later try. */
export const mediaPollMs = 1_000
export const mediaReadyMs = 60_000
/** Files that were uploaded for posts that are not out yet, so that a later try does not upload them again. */
export const uploadsKeptMax = 200

/** Posts of one page of a timeline; 40 is the most that Mastodon gives. */
export const timelinePageMax = 40
/** Posts of a watched account that are looked at. */
export const authorPostsMax = 10
/** Pages of mentions in one go: a crowd is read in several. */
export const mentionPagesMax = 5
/** Pages of our own posts in search of one. */
export const ownPostPagesMax = 10
/** Empty answers after which a server is taken to have no full-text search, until its limits are asked for again. */
export const emptySearchesMax = 3

/** Of a stranger's post: characters of HTML that are read, levels of it, characters of text that are kept. */
export const statusHtmlMax = 30_000
export const statusHtmlDepthMax = 50
export const statusTextMax = 10_000
/** Of a server's error text that is passed on. */
export const serverWordsMax = 200
/** Handles and posts' local ids that an adapter remembers. */
export const resolvedNamesMax = 1_000
/** Characters of a URL that somebody pastes. */
export const pastedUrlMax = 2_048

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

/** A file that holds one secret: tokens have some hundred bytes. */
export const secretFileBytesMax = 16 * 1024

/** Between two looks for items that nobody decided about. */
export const expiryMs = 60_000

/** Between two looks at what runs out of a login; the limits of a server are asked for by itself once an hour. */
export const tokenRefreshMs = 60_000

/** Between two looks for posts that were scored under another configuration, and how many are scored in one transaction. */
export const rescoreMs = 60 * 60_000
export const rescoreChunk = 1_000

/** Between two looks for what may be forgotten. */
export const pruneMs = 60 * 60_000

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

/** A post from further ahead than this was not made by a clock that is merely fast. */
export const postedAheadMs = 5 * 60_000

/** A proposal for later than this is a mistake. */
export const scheduledAheadMsMax = 366 * 24 * 60 * 60_000

/** Of what a page of a list holds, as JSON; an answer carries it twice and has 4 MiB at most. */
export const pageBytesMax = 1024 * 1024
/** The newest revisions of an item that are shown. */
export const revisionsShownMax = 50

/** Texts that one agent has written for itself in an hour, by whatever tool. */
export const generationsPerHourMax = 60

/** After this a post that could not go out when it was due takes its place in the limits anew. */
export const placeOverdueMs = 60 * 60_000
