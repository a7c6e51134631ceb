/** Every limit of this package that no configuration changes; those that one does are in `config.ts`. */

/** A control frame: a traceback with its longest last line, escaped as ASCII, and room. Equals the harness's own. */
export const controlFrameBytesMax = 16 * 1024 * 1024

/** Waiting to be read by a kernel: beyond it nothing more that the kernel says is read, and so nothing more answered. */
export const controlBacklogBytesMax = 8 * 1024 * 1024
/** Questions of one kernel that wait for an answer at once. */
export const requestsPerKernelMax = 1_024

/** Per stream and reply: what an agent can read without losing its context. */
export const streamBytesMax = 32 * 1024
/** Of that, how much comes from the beginning; the end says more about what happened. */
export const streamHeadShare = 0.3
/** A line longer than this is passed on before its end is known; a later carriage return no longer replaces it. */
export const lineBytesMax = 8 * 1024
/** Past this an escape sequence is not one. */
export const escapeBytesMax = 4 * 1024

/** Marks are seen within a millisecond or two; a second means that somebody closed our descriptors. */
export const markWaitMs = 1_000
/** What a pipe of Linux holds. */
export const fifoReadBytes = 64 * 1024
/** After an exit, for output that is still in the FIFOs; a program started by a cell may hold them open for longer. */
export const exitDrainMs = 300
/** Startup text of a Python that does not get as far as the harness. */
export const startupTextBytesMax = 4 * 1024
/** Stack traces that faulthandler writes when a kernel crashes or is about to be killed. */
export const faultsBytesMax = 8 * 1024
/** Two hundred times the usual: a machine under full load still gets there. */
export const startMs = 20_000
export const probeMs = 1_000
/** For the one process that tells what the Python module offers; without it help says so. */
export const pythonApiMs = 5_000
export const pythonApiBytesMax = 1024 * 1024

/** The ladder of an interrupt, from its announcement: the whole process group, a stack trace, the end. */
export const interruptGroupMs = 2_000
export const interruptTraceMs = 4_700
export const interruptKillMs = 5_000
/** How long weave_interrupt waits for what it began: past the signal to the group; with force, past the kill. */
export const interruptWaitMs = interruptGroupMs + 1_000
export const interruptForceWaitMs = interruptKillMs + 2_000
/** Room below a call's deadline for the reply. */
export const deadlineMarginMs = 1_500
/** A reset answers within what clients wait for; the rest of a longer journal can be run by hand. */
export const replayMs = 45_000
/** SIGTERM first, so that programs started by cells can clean up; all is over within a second. */
export const terminateGraceMs = 300

/** A kernel that dies again and again would only burn the machine. */
export const deathsMax = 5
export const deathsWindowMs = 60_000
export const deathsRefusalMs = 30_000

export const progressIntervalMs = 250
export const progressSilenceMs = 5_000
export const progressBytesMax = 4 * 1024

/** Longer than any useful wait, and the longest call that the hub allows. */
export const timeoutSMax = 3_600

export const codeLengthMax = 1_000_000
/** What a run's row keeps of each text of the reply: all of it. */
export const storedTextLengthMax = 64 * 1024
export const storedErrorLengthMax = 320 * 1024
export const historyCodeLengthMax = 200
export const recentHistoryMax = 10
export const namesListedMax = 50
/** Per kernel: more than anybody has bound by hand. */
export const namesRememberedMax = 10_000
/** Rows kept; pruned once per so many runs. */
export const runsKeptMax = 10_000
export const historyKeptMax = 1_000
export const kernelsKeptMax = 1_000
export const pruneEveryRuns = 100

/** Until the next reply takes them: a rule may notify a hundred times a second while nobody asks. */
export const noticesKeptMax = 20
export const idleSweepMs = 30_000
export const queueRetryAfterMs = 1_000
/** How long a key answers with the run that it stands for. */
export const idempotencyKeptMs = 24 * 60 * 60 * 1000
/** Ended runs of one kernel whose output can still grow, and that are answered from memory. */
export const outputsKeptMax = 32
export const pythonRuntimeName = 'python3'
/** TypeScript MCP clients give up after 60 s: a call comes back before, and the code goes on. */
export const foregroundSMax = 50
export const kernelNameLengthMax = 64
/** Names are free: without a limit, asking for ever new ones would fill the worker. Processes are fewer, see maxKernels. */
export const kernelsPerOwnerMax = 256
export const idempotencyKeyLengthMax = 128
export const historyLimitMax = 100
/** What a list of runs shows of each text. */
export const codeShownMax = 1_000
export const historyTextShownMax = 200
/** Of the worker: all waiting calls of several owners, and room beside them for those that answer at once. */
export const concurrentCallsMax = 1_024
/** Fifty agents of one owner, each with a run and with events to wait for. */
export const waitingCallsPerOwnerMax = 128
/** How often an instance says that it lives, and after how much silence another one settles what it left. */
export const instanceBeatMs = 10_000
export const instanceSilenceMs = 6 * instanceBeatMs

/** Of one run's displays, inline in a reply: what models take, and below the 4 MiB of a result with base64's third on top. */
export const imagesInlineMax = 10
export const imageInlineBytesMax = 1_000_000
export const imagesInlineBytesMax = 2 * 1024 * 1024
/** Text that a value shows of itself, like markdown: per display and per reply; the rest is linked. */
export const shownTextBytesMax = 8 * 1024
export const shownTextsBytesMax = 32 * 1024
export const linksMax = 40
/** Kept in a run's folder: the harness's hundred and its last word, some of them a text and a link. Other runtimes know no limit. */
export const displaysKeptMax = 202
/** In base64 it is a resource that one message holds. */
export const displayBytesMax = 3_000_000
export const displaysBytesMax = 32 * 1024 * 1024

/** An answer about names, once Python has shown that it answers at all: source of a large file is parsed. */
export const introspectMs = 5_000
export const variablesMax = 200
export const variablesDefault = 50
/** More is no place where a person or agent has a cursor. */
export const completeCodeLengthMax = 200_000

/** As the harness of Python bounds them; other runtimes are bounded here. */
export const resultBytesMax = 16 * 1024
export const errorBytesMax = 32 * 1024
/** The last line of an error is never cut, but has to end somewhere. */
export const errorLastLineBytesMax = 256 * 1024

/** Per list of names that a run bound, changed or deleted; `from numpy import *` must not fill a reply. Equals the harness's own. */
export const namesReportedMax = 100
/** Of one name: code can bind any text by way of `globals()`. Equals the harness's own. */
export const nameReportedLengthMax = 200

/** A kernel.json is a few hundred bytes. */
export const kernelspecBytesMax = 64 * 1024
/** Per directory; an agent reads their list. */
export const kernelspecsMax = 256

/** What Linux follows from a program to the file that runs in the end, and reads of a script's first line. */
export const symbolicLinksMax = 40
export const shebangBytesMax = 256
/** What the launcher says of itself is one small object. */
export const launcherLineBytesMax = 4 * 1024
/** Process id and start time of a worker. */
export const ownerFileBytesMax = 1024

/** One print of 100 MB is one message of ipykernel, escaped as JSON. A larger message costs its sender the connection. */
export const jupyterMessageBytesMax = 128 * 1024 * 1024
/** Output in a larger message is decoded in such pieces: decoded at once it would be in memory four times. */
export const jupyterWholeBytesMax = 1024 * 1024
export const jupyterPieceBytes = 64 * 1024
/**
 * What may wait in memory, by the size of the messages that come: many small ones, lest a kernel's own queue (1,000
 * messages, then it drops silently) overflows while this worker is busy; few large ones.
 */
export const jupyterWaitingBytesMax = 64 * 1024 * 1024
export const jupyterWaitingMessagesMin = 2
export const jupyterWaitingMessagesMax = 10_000
/** After a large message, so many in a row must be smaller before more of them may wait. */
export const jupyterSmallInARow = 256
/** Read in one turn of the event loop: other kernels want to be served meanwhile. */
export const jupyterTurnBytesMax = 1024 * 1024
export const jupyterHeaderBytesMax = 64 * 1024
export const jupyterIdentitiesMax = 8
export const jupyterBuffersMax = 64
/** A kernel that runs code reads nothing on its shell channel, and is asked at most once a second whether it lives. */
export const jupyterSendsWaitingMax = 64
export const jupyterSendMs = 1_000
/** How often a connection to a socket that is not there yet is tried: it adds to each cold start. */
export const jupyterReconnectMs = 10
/** A connection that libzmq has not tried to make again by then is made anew. */
export const jupyterRenewMs = 100
/** After a kernel_info_reply, for the idle status that proves that its output is heard; then it is asked again. */
export const jupyterGreetingMs = 50
/** Runs whose late output still finds them. */
export const jupyterParentsMax = 1_000
/** Reply and idle status come by different sockets; from the last message on, and at most. A reply is small. */
export const jupyterReplyWaitMs = 1_000
/** Before the idle status, 100 MB of output may be on their way in one message. */
export const jupyterIdleWaitMs = 3_000
export const jupyterIdleWaitMaxMs = 10_000
/** After the exit of a kernel: two such times without a message mean that there are no more. */
export const jupyterQuietMs = 10
/** From the beginning of a cell to the first SIGINT: before a kernel has put its handler in place (IRkernel), it would end. */
export const jupyterInterruptableMs = 50
/** As JSON; equals what the harness of Python can send. */
export const jupyterDisplayBytesMax = 16 * 1024 * 1024
/** What a kernel process itself has written last, for the explanation of a failed start or of a death. */
export const kernelLogBytesMax = 4 * 1024
/** Of the address of a Unix socket, on the narrower of our systems. */
export const socketPathBytesMax = 103
/** Of one run, both streams together, on disk; what comes after it is counted and dropped. */
export const runSpoolBytesMax = 64 * 1024 * 1024
/** Of many small writes, before they go to disk together. */
export const spoolBufferBytes = 64 * 1024
/** What weave_peek reads at once: as much as a reply shows of a stream unless asked, twice both streams at most. */
export const peekBytesUsual = 16 * 1024
export const peekBytesMax = 64 * 1024
/** A character must fit. */
export const peekBytesMin = 16
export const peekPatternLengthMax = 1_000
export const textMatchesMax = 100
/** Of a long line, what is shown around a match. */
export const textExcerptBytesMax = 512
/** Read from disk between two turns of the event loop. */
export const textSearchStepBytes = 256 * 1024
/** Ended runs that a kernel can add late output to without asking the store, and the memory they may take. */
export const lateRunsMax = 256
export const lateRunsBytesMax = 1024 * 1024
/** In one notice; others are counted. */
export const lateRunsNamedMax = 5
/** Late output of one older run that waits while the store is asked. */
export const lateWaitingBytesMax = 256 * 1024
/** Late output is recorded, and its file closed, so long after it began to come. */
export const lateSettleMs = 1_000
/** Beats: far beyond any piece, and still exact to a ten-millionth. */
export const beatMax = 1_000_000_000
export const bpmMin = 1
export const bpmMax = 999
export const bpmDefault = 120
/** Beats of a divisor and of a loop: at 999 bpm a rule of it fires 67 times per second. */
export const divisorBeatsMin = 0.25
export const loopBeatsMin = 0.25
/** Below it a rule would only meet the limit of firings. */
export const everySMin = 0.05
export const triggerSMax = 31_536_000
export const leadSMax = 600
export const cooldownSMax = 86_400
export const maxLateSMax = 86_400
export const ruleLimitSMin = 0.05
export const ruleLimitSMax = 300
export const ruleLimitSDefault = 5
export const maxFiresMax = 1_000_000_000
/** How early a kernel hears of a firing: more than a message takes, less than anybody changes their mind in. */
export const lookAheadMs = 50
/** Per rule and pass; what a late timer has let pass beyond it is missed. */
export const targetsPerPassMax = 32
/** Firings that cause firings. */
export const chainDepthMax = 8
/** Per session: rules must not keep agents from their kernel. */
export const firingsPerSecondMax = 100
export const errorsInARowMax = 3

export const rulesPerSessionMax = 256
export const markersPerSessionMax = 1_000
export const sessionsPerOwnerMax = 1_000
/** Characters of names of sessions, markers and rules. */
export const nameLengthMax = 64
export const vibeLengthMax = 1_000
export const noteLengthMax = 1_000
export const markerMetadataBytesMax = 4 * 1024
export const eventFilterBytesMax = 4 * 1024
export const ruleSourceLengthMax = 16 * 1024
export const ruleCodeLengthMax = 64 * 1024
export const notifyLengthMax = 1_000
export const ruleLogKeptMax = 200
export const ruleLogDetailLengthMax = 1_000
export const listLimitMax = 1_000
/** Questions of one kernel that wait for a beat or an event. */
export const waitsPerKernelMax = 256
export const waitSMax = 3_600

export const eventsKeptMax = 16_384
export const eventDataBytesMax = 64 * 1024
/** Per owner, and of all owners together: the oldest events go first. */
export const eventBytesPerOwnerMax = 16 * 1024 * 1024
export const eventOwnersMax = 256
export const eventNameLengthMax = 128
export const eventPatternsMax = 32
/** Of one reply: an agent must be able to read it. */
export const eventReplyBytesMax = 64 * 1024
export const eventWaitSMax = 30

/** A playing transport is saved so often: what a crash of the worker may cost. */
export const transportSaveMs = 5_000
/** Counters and logs of rules are written so often, together. */
export const ruleSaveMs = 200
/** Of a weave_session reply as JSON: agents call it after they have lost their context. */
export const sessionReplyBytesMax = 8 * 1024 - 1
/** Of its single texts. */
export const sessionTextBytesMax = 400
export const sessionNameBytesMax = 160

/** Of an error, where a line has to do. */
export const lastLineLengthMax = 200
/** Of a crash: enough for the frames of a cell. */
export const crashTraceLengthMax = 3 * 1024
