import { availableParallelism } from 'node:os'

/** Every limit of this folder that no configuration changes. */

/** Each of a sandbox's own /tmp, home and shared memory: in memory, so that filling them must not fill the machine. */
export const sandboxDirectoryBytesMax = 1024 * 1024 * 1024
/** Asking for an interpreter's place, or starting something in a sandbox for the first time on a machine under load. */
export const trialMs = 10_000
/** An interpreter's answer about its directories. */
export const interpreterAnswerBytesMax = 256 * 1024
/** Paths that the configuration adds to a sandbox. */
export const sandboxPathsMax = 64
/** bubblewrap's word about a sandbox is one small object. */
export const sandboxInfoBytesMax = 4 * 1024
/** How old a list of the machine's processes may be for those who ask at about the same time. */
export const processTableAgeMs = 100
/** Listing them by `ps`, where there is no /proc. */
export const processTableMs = 5_000
export const processListBytesMax = 16 * 1024 * 1024
/** A cell's bombs grow for so long before they are seen; a look costs a millisecond or two. */
export const watchIntervalMs = 500
/** From here on the agent is warned. */
export const warnShare = 0.8
/** The system counts threads, the configuration processes: room for the pools of numeric libraries, a thread per processor. */
export const tasksFor = (processes: number): number => processes * Math.max(4, availableParallelism())
/** Of the limit of one process's address space: what a kernel and its programs may hold in memory together. */
export const memoryTogetherShare = 1.25
/** Rounds of killing what has left a kernel's group, as each round may meet newly started programs. */
export const strayKillRounds = 5
/** After a kernel's end, until its control group is tried again: killed processes take a moment to go. */
export const groupRemovalMs = 200
