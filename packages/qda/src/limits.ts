// What a call may ask for, and what this worker holds. Alphabetical by subject.

/** Characters of one attribute's value in a REFI-QDA document: names, and quotations of some programs. */
export const xmlAttributeLengthMax = 1_000_000
/** Attributes of one element; the format knows ten at most. */
export const xmlAttributesMax = 64
/** Bytes of a REFI-QDA document: some 500,000 codings. */
export const xmlBytesMax = 256 * 1024 * 1024
/** Bytes that are parsed before others have their turn. */
export const xmlChunkBytes = 64 * 1024
/** Elements within elements; programs nest codes a dozen deep. */
export const xmlDepthMax = 256
/** Elements of a document: with each, memory grows. */
export const xmlElementsMax = 3_000_000
/** Characters of one text in a document, and between two of its tags. */
export const xmlTextLengthMax = 16 * 1024 * 1024
/** Characters that a writer gathers before it hands them on. */
export const xmlWriteChunkLength = 64 * 1024
/** What an import or export could not take over, in its answer; the rest is counted. */
export const lossesListedMax = 1_000
/** Characters of a quotation that are compared with the text it was taken from. */
export const quoteComparedLength = 1_000
/** Bytes of one text in a package. */
export const packageTextBytesMax = 64 * 1024 * 1024
/** Bytes of a package's files, unpacked. */
export const packageBytesMax = 2 * 1024 * 1024 * 1024
/** Files in a package. */
export const packageEntriesMax = 100_000
/** Bytes of a file's name in a package. */
export const packageNameLengthMax = 1_024
/** How many times its packed size a file may have; texts reach 20, bombs 1,000. */
export const packageRatioMax = 200
/** Bytes below which a file of a package may have any ratio: a short text of blanks is no bomb. */
export const packageRatioFreeBytes = 1024 * 1024
