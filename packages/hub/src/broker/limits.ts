/** Every limit of the broker, with the reason for its value. */

/** As many as one ROUTER serves well on a small machine, and below libzmq's own 1,023 sockets per context. */
export const workersMax = 1_000
/** Connections that said HELLO, or nothing, and never READY: dropped oldest first. */
export const strangersMax = 256
export const challengeMs = 10_000
/** Pause for a worker that may try again. */
export const retrySignInMs = 1_000
export const crowdedRetryMs = 5_000
/** One line of the log for the refusals of a service of one kind in so long; of no more kinds in that time. */
export const refusalReportMs = 60_000
export const refusalsToldMax = 256

/** A newer version stays this long beside the one in force before it takes over: most that is wrong with it shows by then. */
export const trialMs = 30_000
/** A crashed worker is back by then, with the same definitions: they stay in force meanwhile. */
export const editionGraceMs = 5_000

/** Calls waiting for a worker of one service; beyond it waiting would outlast most deadlines. */
export const queuedPerServiceMax = 1_024
/** One agent may use a part of the queue only. */
export const queuedPerSessionMax = 256
/** So may one principal, in however many sessions: the rest is for those who come when it has filled its part. */
export const queuedPerPrincipalMax = 768
/** Of the time that a call has, how much it may wait: what starts later would be cut off, and its work be lost. */
export const queueShareMax = 0.5
/** Arguments of all waiting calls together. */
export const queuedBytesMax = 256 * 1024 * 1024
/** One principal's part of it: they are for all services, so that without it one slow service would stop them all. */
export const queuedBytesPerPrincipalMax = 192 * 1024 * 1024
/** How long a call waits for a worker that is away: a restart takes about two seconds. */
export const graceMs = 5_000
/** Hand-overs of one call that was not started, the first included. */
export const attemptsMax = 3
/** What `overloaded` tells a client to wait: as long as what waits takes by what was seen of late, between these. */
export const shedRetryMsMin = 100
export const shedRetryMsMax = 30_000
/** The same while nothing was seen. */
export const shedRetryMs = 1_000
/** Shed calls are told in one line of the log for so long. */
export const shedReportMs = 10_000

/** Second tries of a service's calls: one for so many first ones, and so many a second, saved up to a burst. */
export const firstTriesPerRetry = 5
export const retriesPerSecond = 10
/** What a worker with many calls leaves behind when it is lost. */
export const retriesAtOnceMax = 500

/** A replica is judged by its calls of so long, and by no fewer than these. */
export const healthWindowMs = 10_000
export const healthCallsMin = 20
/** It is an outlier when its share of failures is so much above that of the other replicas. */
export const outlierShare = 0.5
/** Deadlines in a row that passed without an answer: a worker that hangs has too few calls to be judged by their share. */
export const unansweredMax = 5
/** The first ejection; each further one is twice as long. */
export const ejectionMsMin = 10_000
export const ejectionMsMax = 5 * 60_000
/** A timer that is late by so much means that the hub itself stood still: what workers sent meanwhile is still to be read. */
export const standstillMs = 500
export const readFirstMs = 250

/** Suspended calls per worker: each is a person who has not answered. */
export const suspendedPerWorkerMax = 64
/** Past the longest wait for input, before an agent that does not come back loses its call: the worker hears of the one first. */
export const unclaimedMs = 60_000

/** A client that reconnects within this time finds its session as it was. */
export const sessionLingerMs = 10_000
/** After the hub's start: how long agents have to come back before workers are told who is still there. */
export const sessionsNoticeMs = 30_000
export const subscriptionsPerSessionMax = 1_000
export const sessionsMax = 10_000

/** Changes of the catalogue within this time become one notice. */
export const listNoticeMs = 10
/** A service that nobody has offered for this long is forgotten, and its names are free. Longer than a killed hub ran unchanged. */
export const forgetServiceMs = 7 * 24 * 3_600_000
export const definitionsPerServiceMax = 2_000
/** One definition as JSON text: agents get all of them at once, and pages are cut between two. */
export const definitionCharactersMax = 64 * 1024
/** All accepted definitions of all services, as JSON text. */
export const catalogueCharactersMax = 64 * 1024 * 1024
/** Services that are away and were never trusted: names cost nothing, so the oldest give way. */
export const absentServicesMax = 64
export const absentCharactersMax = 8 * 1024 * 1024
/** Of one filter: each is held against each tool. */
export const patternsMax = 100
/** Lists kept ready, of those who see different things, and filters: beyond it they are made again when asked for. */
export const viewerListsMax = 256
/** Tools that single sessions have of their own, each different one once, as JSON text: the catalogue has as much again. */
export const ownCharactersMax = 32 * 1024 * 1024
/** What views say of single sessions, each different one once, in about bytes: 64 for a statement, and its text. */
export const viewsWeightMax = 32 * 1024 * 1024
/** Refusals of one worker that WELCOME and the snapshot tell: more than anybody reads, and far from what a frame holds. */
export const verdictsMax = 1_000
/** UPDATEs of one worker are judged at most this often; of those between only the newest. */
export const updateIntervalMs = 250
/** A larger one waits longer, in proportion: it takes as much longer to judge. */
export const updateBytesPerInterval = 256 * 1024

/** Entries of one READY or UPDATE, refused ones included: each gets a verdict, and 4 MiB could hold two million. */
export const definitionsPerBodyMax = 10_000
/** Nesting of one READY's or UPDATE's body. Schemas that people write stay below 20. */
export const definitionDepthMax = 128

export const progressBytesMax = 64 * 1024
export const logBytesMax = 64 * 1024
/** Log frames per worker and second. */
export const logsPerSecondMax = 1_000

/** A suspect worker that holds nothing is taken as gone after this long; if it was not, it signs in again. */
export const silentIdleMs = 60_000

/** Past a worker's own drain time, before the hub stops waiting for its BYE. */
export const drainGraceMs = 5_000

/** Tokens that workers with the right to mint may have alive. */
export const tokensMax = 10_000
export const tokenMsMax = 24 * 3_600_000

/** A key that is not good now may be good later, and its worker asks no more often than this. */
export const keyRetryMs = 5_000
/** Peers that were cut off and are still connected, of which the hub knows why: workers that there may be. */
export const cutOffMax = 1_000
