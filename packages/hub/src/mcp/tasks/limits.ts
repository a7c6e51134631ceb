import { bodyBytesMax } from '@callboard/protocol'
import { unclaimedMs } from '../../broker/limits.js'
import { inputWaitMs } from '../limits.js'

/** Every limit of tasks, with the reason for its value. */

/** Longer than the longest call (an hour) with a few questions to people within. */
export const ttlMsDefault = 2 * 60 * 60_000
/** A result that lives shorter than a few polls is of no use to anybody. */
export const ttlMsMin = 60_000
/** Results lie in memory: a day is for a person who comes back tomorrow, not for keeping. */
export const ttlMsMax = 24 * 60 * 60_000
/** What is left of the time to fetch a result when the call took (nearly) all of the task's time to live. */
export const fetchMs = 60_000
/** Suggested between two `tasks/get`: a person hardly waits longer than needed, and a hundred pollers cost nothing. */
export const pollIntervalMs = 1_000

/** Tasks that run or whose results are kept, of one principal and of all. */
export const tasksPerPrincipalMax = 256
export const tasksMax = 2_048
/** What a result may have; a task that runs is counted as if it had it, so that there is room when the result comes. */
export const resultBytesMax = bodyBytesMax
/** Of results, kept and still to come: 32 tasks of one principal and 128 of all run at once. */
export const keptBytesPerPrincipalMax = 32 * resultBytesMax
export const keptBytesMax = 128 * resultBytesMax
/** Of `statusMessage`, which workers fill by their progress. */
export const messageLengthMax = 500
/** Of the answers to the questions of one round, which go to the worker in one body. */
export const answersBytesMax = bodyBytesMax - 64 * 1024
/** Requests that wait for the same task to end. */
export const waitersPerTaskMax = 16
/**
 * How long a task waits for the answer to a question. The broker gives up first, and lets the worker go on without; only
 * then, and before the broker forgets the call, its outcome is asked for.
 */
export const questionMs = inputWaitMs + unclaimedMs / 2

if (ttlMsMin > ttlMsDefault || ttlMsDefault > ttlMsMax) throw new Error('the default ttl must lie within its bounds')
