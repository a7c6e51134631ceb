/** Runs of one task that may wait for their turn; a further slot is recorded as skipped. */
export const queuedRunsPerTaskMax = 100

/** One row for each missed slot up to this many, then one for all the others. */
export const missedRowsMax = 100

/** Of missed slots, how many `all` still runs. */
export const missedRunsMax = 24

/** Older slots are not run by any policy. */
export const missedWindowMs = 7 * 24 * 60 * 60_000

/** Runs and messages that are over leave the database after this; activity, too. */
export const historyMs = 30 * 24 * 60 * 60_000

/** How long a reply is kept for a repeat of its call. */
export const replyMs = 24 * 60 * 60_000

/** A timer of Node fires at once beyond 2^31-1 ms; and a clock that was set is noticed this soon. */
export const sleepMsMax = 60_000

/** Other processes on this database are heard of this soon. Only asked for when there are any. */
export const pollMs = 5_000

/** Between two signs of life of a process. */
export const heartbeatMs = 20_000

/** After this silence a process counts as stale. */
export const heartbeatStaleMs = 60_000

/** Tasks that become due in one transaction: enough to catch up, short enough for other writers. */
export const dueTasksPerClaim = 100

/** Live tasks of one group, and how many it may create in an hour. */
export const liveTasksPerGroupMax = 100
export const tasksCreatedPerHourMax = 60

/** Characters of prompts, bodies, messages. */
export const longTextMax = 100_000

/** Bytes of a run's result, and of each stream's head and of its tail. */
export const resultBytesMax = 65_536

/** How much later than its time limit a run's token ends. */
export const tokenMarginMs = 60_000

/** Between SIGTERM and SIGKILL. */
export const killGraceMs = 5_000

/** A first attempt to send mail inside a call. */
export const firstSendMs = 10_000

// Groups, calls, activity, status ----------------------------------------------------------------------------------

/** Each has a directory, a conversation and a share of the runs. */
export const groupsMax = 256

/** Room for that many groups with long commands. */
export const groupsFileBytesMax = 1_048_576

/** Words of a command; variables that its environment gets. */
export const argumentsMax = 64
export const allowedVariablesMax = 64

/** Characters of one argument: prompts go by stdin, so only flags and paths are here. */
export const argumentLengthMax = 4096

/** Of a refused value in the refusal: enough to know it by. */
export const shownValueMax = 80

/** Of objects and lists in an argument: more is nobody's tool call, and a stack is finite. */
export const argumentDepthMax = 64

/** Entries of the activity log in one answer. */
export const activityEntriesMax = 500

/** Rows that one statement of the pruning removes, so that other writers get their turn in between. */
export const prunedRowsPerStatement = 500

/** Statements of one table in one round; what is left waits for the next one. */
export const pruneStatementsMax = 200

/** Between two rounds of the pruning. */
export const pruneIntervalMs = 60 * 60_000

/** No search result is reused when it is older. */
export const searchesKeptMs = 24 * 60 * 60_000

/** A process that was silent for so long does not come back under its id. */
export const processForgottenMs = 24 * 60 * 60_000

// Search and social posts

/** Characters of a search query. */
export const searchQueryMax = 1_000

/** Results of one search: more only cost the reader. */
export const searchResultsMax = 10

/** A search service's answer, or a chat endpoint's: far beyond ten results, far below what would hurt. */
export const searchBytesMax = 2 * 1024 * 1024

/** How long a search service may take. */
export const searchMs = 30_000

/** How long writing the answer may take; with the search it fits into the call. */
export const searchAnswerMs = 60_000

/** Of one call of web_search. */
export const searchCallMs = 120_000

/** The same search within this time is answered from the database. */
export const searchCacheMs = 10 * 60_000

export const searchesPerGroupAndDayMax = 100

/** Characters of what the web says about one result. */
export const searchTitleMax = 300
export const searchSnippetMax = 1_000
export const searchUrlMax = 2_048
export const searchPublishedMax = 64

/** Characters of an answer: what is longer is no summary of ten results. */
export const searchAnswerMax = 20_000

/** Characters of a URL or user name to which a post goes. */
export const socialUrlMax = 2_048

/** How long somebody who is proposing a post keeps others of the group from proposing the same: longer than its call. */
export const socialClaimMs = 3 * 60_000
