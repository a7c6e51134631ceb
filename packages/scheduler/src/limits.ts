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

/** Mail and messages that a process left behind when it ended are found this soon. */
export const leftBehindLookMs = 60_000

/** Other processes on this database are heard of this soon. Only asked for when there are any. */
export const pollMs = 5_000

/** Between two signs of life of a process. */
export const heartbeatMs = 20_000

/** After this silence a process counts as stale. */
export const heartbeatStaleMs = 60_000

/** Tasks that become due in one transaction: enough to catch up, short enough for other writers. */
export const dueTasksPerClaim = 50

/** Runs in one statement: each has 25 values, and SQLite takes 32,766 of them. */
export const slotsPerInsert = 200

/** Live tasks of one group, and how many it may create in an hour. */
export const liveTasksPerGroupMax = 100
export const tasksCreatedPerHourMax = 60

/** Characters of prompts, bodies, messages. */
export const longTextMax = 100_000

/** Characters of what is said of a run's failure. */
export const errorTextMax = 2_000

/** Bytes of a run's result, and of each stream's head and of its tail. */
export const resultBytesMax = 65_536

/** How much later than its time limit a run's token ends. */
export const tokenMarginMs = 60_000

/** What a hub gives at most. */
export const tokenMsMax = 24 * 60 * 60_000

/** Between SIGTERM and SIGKILL. */
export const killGraceMs = 5_000

/** A first attempt to send mail inside a call. */
export const firstSendMs = 10_000

// Engine

/** Calls of agents at once; a run calls, too. */
export const concurrentCallsMax = 64

/** How long the store, and the hub, are left alone after they failed. */
export const storeRetryMs = 5_000
export const hubRetryMs = 5_000

/** Between two tries to record how an attempt has ended; its lease goes on meanwhile, if it can. */
export const settleRetryMs = 1_000

/**
 * When the worker is stopped, what runs may still finish within this, and programs end within that after SIGTERM. Together
 * less than the 900 ms after which `callboard up` ends a worker: no program may be left behind.
 */
export const stopGraceMs = 200
export const stopKillGraceMs = 400

// schedule

/** Characters of a cron pattern: more than one that lists every minute, hour, day, month and weekday. */
export const cronLengthMax = 500

/** The longest interval: beyond a year, cron says it better. */
export const intervalMsMax = 366 * 24 * 60 * 60_000

/** How far ahead a cron pattern is searched. The rarest, a fifth Monday in February, leaves 40 years between two. */
export const occurrenceSearchMs = 50 * 366 * 24 * 60 * 60_000

/** Patterns kept ready: croner takes 80 KB for one. */
export const cronPatternsCached = 200

/** Years of zones whose clock changes are known: 1 KB each; a year takes 400 questions to Intl. */
export const zoneYearsCached = 2_000

/** Names of zones, also of those that are none. */
export const zoneNamesCached = 1_000

/** Jitter never delays a run more than this. */
export const jitterMsMax = 60 * 60_000

/** Slots before the window that are counted one by one; a cron pattern with more is told as `at least`. */
export const missedCountedMax = 1_000

// tasks

/** What a list can show in a column, and a person can remember. */
export const taskNameMax = 64

/** JSON of a direct call's arguments: what a tool takes from a model is smaller by far. */
export const argsBytesMax = 65_536

/** Characters of a prompt in a list. */
export const promptShownMax = 200

/** Tasks in one list, those that live first: what a model can still read. */
export const listedTasksMax = 1_000

/** Runs in one list. */
export const listedRunsMax = 500

/** Attempts shown of one run, the newest: each may have 64 KiB of result and as much of stderr. */
export const attemptsShownMax = 5

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

// Runners

/** Of a program's output, how much is read as one JSON document; a longer one is not read for its result. */
export const documentBytesMax = 8 * 1024 * 1024

/** A longer line of JSON is passed over: events that carry whole files are of no use here. */
export const lineBytesMax = 1024 * 1024

/** Parts of a path into JSON, and conditions beside it; characters of the whole expression. */
export const extractionPartsMax = 16
export const extractionLengthMax = 512

/** Of a session id; whatever is longer is no id. */
export const sessionIdLengthMax = 256

/** Turns of the event loop in which the system ends what SIGKILL has hit; one that takes longer hangs in a driver. */
export const groupEndTurnsMax = 500

/** Turns, and then time between looks, in which a group that was asked to end may do so after its leader. */
export const groupGraceTurnsMax = 50
export const groupPollMs = 100

/** Turns in which a pipe that somebody outside of the group holds open is read to its end. */
export const drainTurnsMax = 200

/** For one `ps`, where there is no /proc. */
export const processListMs = 5_000
export const processListBytesMax = 4 * 1024 * 1024

/** Turns of a group's conversation that are kept, those a model is shown, and their characters together. */
export const turnsKeptMax = 200
export const turnsShownMax = 40
export const turnsShownCharactersMax = 100_000

/** Requests of one run to its model, each with the tools it asked for before. */
export const chatRoundsMax = 10

/** Tools that a model is told of: chat endpoints refuse more. */
export const chatToolsMax = 128

/** Of a tool's name in the chat form. */
export const chatToolNameMax = 64

/** Tools that one answer of a model may ask for; with the limit of each result this bounds what the next request holds. */
export const chatToolCallsPerRoundMax = 16

/** Characters of a tool's result that the model reads. */
export const chatToolResultMax = 65_536

/** Of one answer of a chat endpoint. */
export const chatAnswerBytesMax = 8 * 1024 * 1024

/** Of a refusal's text, as an error cites it. */
export const citedTextMax = 300

/** A server that asks for more patience than this is asked again all the same. */
export const retryAfterMsMax = 24 * 60 * 60_000

// Outgoing mail

/** While a process sends a mail, no other one does; then it counts as gone and another takes over. */
export const mailLeaseMs = 60_000

/** One attempt to send, well within its lease. */
export const mailSendMs = 45_000

/** Mails that one process sends at a time: more than most servers like from one client. */
export const mailsAtOnceMax = 4

/** After each failed attempt, the last one again and again until the time is over. */
export const mailRetryDelaysMs = [60_000, 120_000, 300_000, 900_000, 3_600_000] as const
export const mailRetryWindowMs = 72 * 3_600_000

/** Until the server has greeted: so long an end of the worker may wait for it. */
export const smtpConnectMs = 15_000

/** An SMTP connection without work is closed: soon, so that the server never closes it under a mail. */
export const smtpIdleMs = 5_000

/** Between two looks whether the server is there, for the status. */
export const smtpCheckMs = 15 * 60_000

/** For mails under way when the worker ends. */
export const mailCloseGraceMs = 5_000

/** Characters of a server's words that are kept. */
export const mailErrorMax = 500

/** Characters of a subject that this worker makes up itself. */
export const ownSubjectMax = 120

/** Somebody may keep a message from leaving for this long. */
export const reviewMs = 15 * 60_000

/** Messages that one transaction sends on their way. */
export const messagesPerRelease = 100

/** Of one digest; what is left over comes in the next one. */
export const digestMessagesMax = 200
export const digestRunsMax = 500

/** Characters of one message in a digest. */
export const digestMessageTextMax = 4_000

/** A run may be written a little after its own end, and clocks of processes differ. */
export const digestOverlapMs = 3_600_000

/** Characters of an idempotency key. */
export const idempotencyKeyMax = 128

/** Characters of an id of ours, or of a Message-ID: RFC 5322's longest line. */
export const mailIdMax = 998

// Triggers

/** Over which accepted triggers are counted. */
export const triggerWindowMs = 60 * 60_000

/** How long a trigger's mail may take: longer than the outbox tries to send it. */
export const triggerLifeMs = 96 * 60 * 60_000

/** Characters of what stands behind the tag in a subject. */
export const subjectSuffixMax = 200

// Mail that comes in

/** A larger mail is refused without being downloaded. */
export const mailBytesMax = 1024 * 1024

/** Of a mail that is too large: enough for every header that says whose it is. */
export const mailHeadBytesMax = 65_536

/** HTML beyond this is not turned into text: it takes seconds, and people do not write as much. */
export const mailHtmlMax = 256 * 1024

/** Elements inside of each other: answers to answers stay below it. */
export const mailHtmlDepthMax = 250

/** Characters of a subject that are kept. */
export const mailSubjectMax = 500

/** Characters that are kept of a mail that nobody acts on: what tells a person which one it was. */
export const refusedMailTextMax = 500

/** Names of attachments that are told. */
export const attachmentNamesMax = 20

/** Mails between two looks at the mailbox. */
export const mailsPerBatch = 50

/** Times that a server may refuse to give out one mail before the next is read. */
export const mailFetchAttemptsMax = 5

/** How far back a mailbox is read again after its server has numbered it anew. */
export const mailRescanMs = 7 * 24 * 60 * 60_000

/** Between two attempts to reach the IMAP server: doubled from the first to the last. */
export const imapBackoffMinMs = 1_000
export const imapBackoffMaxMs = 5 * 60_000

/** For a connection, its greeting, and an answer. */
export const imapTimeoutMs = 30_000

/** Characters of text in which a reply is looked for, and of one line: what finds quotes takes the cube of a line. */
export const replyTextMax = 50_000
export const replyLineMax = 300

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
