/** Every limit of the command line, with the reason for its value. */

/** The hub's own bound for a line, and the MCP SDK's. */
export const lineBytesMax = 10 * 1024 * 1024

/** What a client may say while its hub is away; beyond it requests are refused at once. */
export const queueMessagesMax = 1_000
export const queueBytesMax = 16 * 1024 * 1024
/** JSON-RPC code of what a hub that is away can't answer: the one that SDKs use for a closed connection. */
export const hubAwayCode = -32000
/** How long a request waits for a hub: longer than any start, shorter than the 60 s after which clients give up. */
export const queueWaitMs = 15_000

/** A hub that was started on demand answers in well under a second; on a loaded machine in some. */
export const startWaitMs = 15_000
/** How often a starting hub's socket is tried: a part of what a client waits at most. */
export const startPollMs = 15
/** The hub answers an introduction from memory. */
export const attachWaitMs = 5_000
/** Replies to commands are small, but hold every call and worker. */
export const replyBytesMax = 16 * 1024 * 1024

/**
 * How long a run's token may be unknown: after a restart of the hub it is as long away as the worker that minted it, which
 * signs in within seconds.
 */
export const runTokenWaitMs = 10_000

/** Between two attempts to reach a hub that went away. */
export const reconnectMsMin = 25
export const reconnectMsMax = 2_000

/** After the client's EOF: answers to what it asked may still go out. */
export const eofAnswersMs = 5_000
/** How long an ending program may take to hand over what was written. */
export const flushMs = 500

/** A client would wait for the authorization server's keys as well, and not longer. */
export const issuerWaitMs = 3_000

/** Back-off of a worker that ends, before jitter. */
export const restartMsMin = 500
export const restartMsMax = 30_000
/** A worker that lived this long starts anew with the least back-off. */
export const healthyMs = 60_000
/** An end before this time and before it has signed in, so many times in a row, is a crash loop. */
export const earlyExitMs = 5_000
export const earlyExitsMax = 3
/** Ending everything must take less than two seconds: this for the workers, the rest for the hub. */
export const workerStopMs = 900
/** A worker whose parent is gone may finish within this time. */
export const orphanExitMs = 1_500
/** After the end of `up`, what is left of its workers is killed: later than they would end by themselves. */
export const guardianGraceMs = 2_000
/** How often the guardian looks whether any is left; its script sleeps as long. */
export const guardianPollMs = 100
/** Ends of a worker without a minute of health between them that `doctor` calls a problem. */
export const endsInARowMax = 3
/** How long `up` waits for its workers before it stops watching their start. */
export const workersReadyWaitMs = 10_000
export const readyPollMs = 50

/** A line of a worker's stderr that is passed on. */
export const stderrLineBytesMax = 64 * 1024
/** The log of an auto-started hub; a larger one is put aside when the next hub starts. */
export const logBytesMax = 5 * 1024 * 1024

/** Between two writes of a worker's health file; a check calls it old after four of them. */
export const healthBeatMs = 5_000

/** How long `down` waits until everything is gone. */
export const downWaitMs = 10_000
export const downPollMs = 20

/** After its drain time a worker cancels what still runs, and the hub gives it 5 s to say goodbye. */
export const drainGraceMs = 6_000
export const drainPollMs = 50
/** How long a drained worker's successor may take: a supervisor's pause and a start on a busy machine. */
export const successorWaitMs = 30_000

/** A hub sees a changed allow-list within a second; one that is busy a little later. */
export const cutOffWaitMs = 3_000
export const keysPollMs = 50
/** Before the end of a worker's key `doctor` says so: time enough to make the next. */
export const keyEndsSoonMs = 7 * 86_400_000

/** Of the calls that `ls` shows: a full queue would push the workers off the screen. */
export const callsListedMax = 50

/** Between two tables of `top`: slow enough to be read. */
export const topIntervalMs = 2_000
/** More often a reading costs the hub more than it tells; less often nobody watches. */
export const topIntervalMsMin = 100
export const topIntervalMsMax = 3_600_000

/** Longer than any machine lasts; a token for longer is one without an end. */
export const tokenMsMax = 3_650 * 86_400_000

if (attachWaitMs >= startWaitMs) throw new Error('one introduction must not use up the time for a start')
if (workerStopMs >= orphanExitMs) throw new Error('a supervised worker is ended by its supervisor first')
if (orphanExitMs >= guardianGraceMs) throw new Error('a worker whose parent is gone may end by itself first')
/** Of a hub that strangers can reach: each of their connections takes a file descriptor for the three seconds of a handshake. */
export const openFilesMin = 4_096

/** Of definitions in one line; `callboard tools diff` has them all. */
export const namesToldMax = 5
