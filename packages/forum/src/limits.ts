/** Calls that the worker holds at once. */
export const concurrentCallsMax = 64
/** A call ends within this, ms, however long its caller would wait. */
export const callMs = 60_000
/** Between two writes to one forum, ms. */
export const writeIntervalMs = 1_000
/** How long a repeated call is known as one, ms. */
export const journalMs = 600_000
/** How long the same arguments are the same call, ms, where the caller gave no key; the forum's own memory is as long. */
export const sameCallMs = 120_000
/** Of a selection that nobody uses, ms. */
export const sessionIdleMs = 24 * 60 * 60_000
/** Sessions with a selection; those that were used least recently give way. */
export const sessionsMax = 10_000
/** Code points of a post or message, unless the configuration says otherwise. */
export const readLengthDefault = 50_000

/** Writes that wait for their turn on one forum, in one process: those behind them could not leave within the time of a call. */
export const writesWaitingMax = 60
/** By how much a write may leave later than its time before those behind it have to wait for it, ms. */
export const dispatchSlackMs = 100
/** Of a write's time, kept for sending it after the wait for its turn, ms; a quarter of the time where that is less. */
export const sendReserveMs = 10_000
/** Of a write's time, kept for looking what became of it, ms; a quarter of the time where that is less. */
export const lookReserveMs = 5_000
/** Until the second look for the effect of a write that nothing answered: a forum may still be at it, ms. */
export const lookAgainMs = 2_000
/** How far a forum's clock may be behind ours, ms. */
export const forumClockSkewMs = 30_000
/** How far the clocks of replicas may be apart, ms. */
export const replicaClockSkewMs = 5_000
/** Between two looks at a write that another process is at, ms. */
export const otherWriteStepMs = 500
/** Until its effect is looked for once meanwhile, ms: more than a write takes whose process lives. */
export const otherWriteLookMs = 3_000
/** Code points. */
export const idempotencyKeyMax = 200
/** Newest posts of a topic among which a lost reply is looked for: what one request gives. */
export const newestPostsMax = 20
/** Of one attempt at a request, ms. */
export const timeoutMsMin = 100
export const timeoutMsMax = 120_000
export const timeoutMsDefault = 15_000
/** Requests at once to one forum. */
export const concurrencyMax = 32
export const concurrencyDefault = 4
/** Code points of a post or message: beyond it one post fills what an agent can take in. */
export const readLengthMax = 500_000
/** Forums that a configuration has keys for. */
export const authPairsMax = 200
/** A shorter key is none that a forum gives: theirs have 32 or 64 characters. */
export const keyLengthMin = 8
/** A shorter password can't be kept out of logs: it would be in every text. */
export const basicPasswordLengthMin = 4
/** A profile holds a few keys. */
export const profileBytesMax = 1024 * 1024
/** Shorter strings are no secrets: they are in every text. */
export const secretLengthMin = 4
/** What shows at least so much of the beginning of a secret was cut off in the midst of it. */
export const secretHeadLength = 8
/** The same for secrets that begin like words: eight letters of them may be a word of any text. */
export const wordyHeadLength = 16
/** Secrets that came with calls; the oldest give way. */
export const laterSecretsMax = 1_000
/** Levels of objects in objects that are looked through for secrets; deeper ones go as a whole. */
export const redactedDepthMax = 500
/** Levels of what a log line tells about. */
export const loggedDepthMax = 10
/** An answer leaves that long before the caller's deadline, ms. */
export const answerMarginMs = 250
/** A forum's own tools: so many, with so long a description (code points) and so large a schema (values in it, and how deep). */
export const remoteToolsMax = 64
export const remoteNameLengthMax = 128
export const remoteDescriptionLengthMax = 4_000
export const schemaValuesMax = 1_000
export const schemaDepthMax = 32
/** Values of a schema with every reference in it written out: what one check may have to look at. */
export const schemaWorkMax = 3_000
/** Of the arguments for a forum's own tool, bytes of JSON. */
export const remoteArgumentBytesMax = 128 * 1024
/** Files that come with the result of a forum's own tool. */
export const artifactsMax = 100
/** How long the start waits for the one forum of all sessions, ms; it goes on without. */
export const tetherCheckMs = 10_000
/** Pages of a resource; what is left is said to be missing. */
export const resourcePagesMax = 50
/** Page sizes of Discourse. */
export const categoriesPerRequest = 50
export const channelsPerPage = 25
export const draftsPerPage = 50
/** Of a draft in a list, code points. */
export const draftPreviewLengthMax = 200

/** Rows of a page of topics, until the forum says how many; its usual number. */
export const topicPageRows = 30
/** Posts that are asked for at once by their ids; the forum's own page. */
export const postIdsPerRequest = 20
/** Rows that an older forum gives of what a user did, whatever it was asked for. */
export const userActionRows = 30
/** Code points of what users say of themselves. */
export const bioLengthMax = 500
/** Code points of the key of a draft; the forum has no room for more. */
export const draftKeyLengthMax = 40
/** Posts of the last ids are looked for again, if they were not to be seen: so many ids. A cursor has one bit for each. */
export const lateIdsMax = 50
/** A page of posts has room for 50; one less, since a forum may take the id it is asked for as the first or as the one above. */
export const postIdsWindow = 49
/** With fewer posts within a window the next one is twice as wide. */
export const sparsePosts = 25
/** Requests of one call for what is new; the next call goes on. */
export const inboxRequestsMax = 12
export const notificationsPerPage = 60
/** Notifications that two pages have in common, so that none is lost where some are deleted in between. */
export const notificationsOverlap = 10
/** How long a cursor is kept that nobody passes, ms. */
export const inboxCursorMs = 180 * 24 * 60 * 60_000
export const inboxCursorLengthMax = 100
/** Of a list of users, which the forum cuts so. */
export const usersPerPage = 100
/** Code points. */
export const filterLengthMax = 200
export const usernameLengthMax = 60
export const editReasonLengthMax = 255
/** More than a forum lets a post have. */
export const originalTextLengthMax = 150_000
/** Names of one kind to whom a private message goes. */
export const recipientsMax = 30
/** Of a file that is uploaded; forums allow some megabytes. It is held in memory while it waits for its turn. */
export const uploadBytesMax = 10 * 1024 * 1024
/** Code points. */
export const pathLengthMax = 4096
/** An answer of a forum, after decompression. */
export const answerBytesMax = 8 * 1024 * 1024
/** Lists and objects in one another in an answer; a topic has ten. */
export const answerDepthMax = 200
/** Of a forum's URL, characters. */
export const baseLengthMax = 2_000
/** A path that is encoded more often than this is taken for one that hides something. */
export const encodingsMax = 8
/** How often a reading is asked for, the first time included. */
export const attemptsMax = 3
/** Before the second attempt, ms; doubles. */
export const retryMs = 250
/** At most so much is added to that pause by chance, ms, so that not all come again at once. */
export const retryJitterMs = 100
/** One reading follows so many redirects. */
export const redirectsMax = 5
/** However long a forum asks us to wait, ms: a mistake of it must not end all work there. */
export const waitMsMax = 60 * 60_000
/** Actions of one forum that are held back at a time; beyond that the one that ends first is let go. */
export const heldActionsMax = 100
/** The limits of Discourse, unless its operator has changed them: so many requests in a sliding window. */
export const apiKeyWindows = [{ max: 60, windowMs: 60_000 }] as const
export const userKeyWindows = [
  { max: 20, windowMs: 60_000 },
  { max: 2_880, windowMs: 24 * 60 * 60_000 },
] as const
export const anonymousWindows = [
  { max: 50, windowMs: 10_000 },
  { max: 200, windowMs: 60_000 },
] as const
/** Forums whose limits are known though nobody asks them at the moment. */
export const idleSitesMax = 200
/** Credentials of one forum, likewise. */
export const idleLanesMax = 50
/** Answers that are kept for a while, and their bodies together. */
export const cachedAnswersMax = 500
export const cachedBytesMax = 16 * 1024 * 1024
/** A write of which nobody knows what became of it may still have its effect: nothing is kept this long after it, ms. */
export const unsettledMs = 60_000
/** Of a forum's own words in a failure: how many, and code points of each. */
export const forumErrorsMax = 20
export const forumErrorLengthMax = 1_000
/** Code points of a forum's words in the sentence of a failure. */
export const forumWordsLengthMax = 500
/** Characters from the beginning of a page that tell what it is. */
export const pageHeadLength = 20_000
/** Of a forum's title, code points. */
export const siteTitleLengthMax = 300
export const versionLengthMax = 100
/** UTF-16 units of a forum's title of a topic that is compared with one that was sent. */
export const comparedTitleLengthMax = 2_000
/** Of what a forum offers as its tools, so many are looked at. */
export const remoteToolsOfferedMax = 128
/** Of one schema, characters of JSON: the hub leaves a definition out that has more than 64 Ki of them. */
export const schemaLengthMax = 32 * 1024
/** Of all definitions of one forum's tools, bytes of JSON: half of what a session's view may have. */
export const remoteBytesMax = 512 * 1024
/** Of one check of arguments: characters of text times instructions of a pattern, in all; some tenths of a second. */
export const patternWorkMax = 20_000_000
/** Rows of a list that a forum gives at once, where it is not told how many: more than any has. */
export const listRowsMax = 1_000
/** Of all rows of a list that comes in pages, characters of JSON: they are in memory together. */
export const pagesLengthMax = 8 * 1024 * 1024
/** Of a resource, bytes of JSON; a message holds 4 MiB, in which it is written as a text. */
export const resourceBytesMax = 3 * 1024 * 1024
/** Of what a write answered, characters of JSON that are kept for its repetition. */
export const journalOutputLengthMax = 256 * 1024
/** Of one answer: 50 on both sides of the one that was asked for. */
export const chatMessagesMax = 101
