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
/** Pages of our own posts in search of one; and how much earlier than its key the server's clock may have dated it. */
export const ownPostPagesMax = 10
export const clockSkewMs = 2 * 60_000
/** Empty answers after which a server is taken to have no full-text search, until its limits are asked for again. */
export const emptySearchesMax = 3

/** Of a stranger's post: characters of HTML that are read, levels of it, characters of text that are kept. */
export const statusHtmlMax = 100_000
export const statusHtmlDepthMax = 50
export const statusTextMax = 10_000
/** Of a server's error text that is passed on. */
export const serverWordsMax = 200
/** Handles and posts' local ids that are remembered. */
export const resolvedNamesMax = 1_000
/** Characters of a URL that somebody pastes. */
export const pastedUrlMax = 2_048
