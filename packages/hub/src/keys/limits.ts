/** Every limit of the workers' keys, with the reason for its value. */

/** Also comments. Workers of one installation are far fewer, and each reading of the list goes through all of it. */
export const allowListLinesMax = 1_000
/** A line with every pattern that fits is for a program to write, not for people to check. */
export const allowListLineLengthMax = 16 * 1024
export const allowListBytesMax = 1024 * 1024
/** More than all the services of an installation. */
export const keyServicesMax = 32
/** Each definition of a worker is held against each of them. */
export const keyPatternsMax = 64
/** As long as a tool's name may be. */
export const toolPatternLengthMax = 128
export const resourcePatternLengthMax = 512
/** Two lines and comments. */
export const keyFileBytesMax = 4 * 1024
/** People correct some lines and look again. */
export const problemsShownMax = 5
/** A change of the list is in force within a second: a look at the file's status is all that it takes. */
export const watchIntervalMs = 500
/** A worker on another continent is through in a second; whoever connects and says nothing holds a connection no longer. */
export const handshakeMs = 3_000
/** Connections that wait to be accepted: a site's workers come back together after a restart. */
export const backlogConnections = 512
/** Endpoints for workers on other machines: a host has a few addresses. */
export const listenEndpointsMax = 8
/** Handshakes whose key is being judged: each waits for one turn of the event loop. */
export const zapQueueMax = 4_096
