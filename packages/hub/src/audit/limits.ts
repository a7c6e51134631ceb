/** Every limit of the audit journal, with the reason for its value. */

/** A file that a person can still send somewhere, and that an editor opens. */
export const fileBytesDefault = 64 * 1024 * 1024
/** Small enough for tests and small disks; below it a file would have hardly a line. */
export const fileBytesMin = 4_096
export const fileBytesMax = 1024 * 1024 * 1024
/** 6.4 GB at the default size, or a quarter of a year of quiet days. */
export const keepFilesDefault = 100
export const keepFilesMax = 100_000
export const keepDaysMax = 36_500
/** Longer arguments are recorded up to here, with a mark. */
export const argumentsBytesMax = 64 * 1024
/** Longer ones are not even looked at: to redact them would stop the hub for as long as it takes to parse them. */
export const parsedBytesMax = 1024 * 1024
/** Lines that wait for the disk: 20 seconds of a busy hub, and no more memory than one large call takes. */
export const bufferBytesMax = 16 * 1024 * 1024
/** Of one write: a disk that is back is not given everything at once. */
export const batchBytesMax = 1024 * 1024
/** So long lines gather after a write: at one call after another each would be a write of its own. */
export const gatherMs = 5
/** After a write that failed. */
export const retryMs = 1_000
/** What a power cut may cost beside the write that is on its way. */
export const syncMs = 1_000
/** How often the log names the newest hash, when there is a new one. */
export const checkpointMs = 60_000
/** The longest line has cut arguments of which each byte takes six characters, and a URI. */
export const lineBytesMax = 1024 * 1024
/** Answers to questions that are remembered until their calls end. */
export const answersMax = 10_000
/** A shorter one would be found in innocent text. */
export const secretLengthMin = 8
/** Deeper arguments are not walked. */
export const redactionDepthMax = 64
