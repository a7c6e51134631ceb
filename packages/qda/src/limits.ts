// What a call may ask for, and what this worker holds. Alphabetical by subject.

/** Units of work of one approximate search, about 20 ns each: a 1 MB text keeps the worker busy for less than 100 ms. */
export const approximateSearchUnits = 4_000_000
/** Regions looked at for the passage closest to a quote that was not found; it is only a hint. */
export const closestRegionsMax = 64
/** How unlike a quote the closest passage may be and still be worth naming; share of the quote's length. */
export const closestErrorsShare = 0.4
/** How unlike a quote a fuzzy match may be; share of the quote's length. */
export const fuzzyErrorsShare = 0.2
/** Regions compared for one fuzzy match; the likeliest come first. */
export const fuzzyRegionsMax = 10_000
/** UTF-16 units of a quote that is searched approximately: the time for texts that repeat themselves grows with its cube. */
export const fuzzyQuoteUnitsMax = 500
/** Candidates named for a quote that occurs several times; enough to choose from. */
export const quoteCandidatesMax = 10
/** Code points of a candidate's text in a failure, and before and after it. */
export const quoteCandidateLengthMax = 200
export const quoteContextLength = 40
/** UTF-16 units compared for the occurrences of one quote: a text of one letter has as many as it is long. */
export const quoteUnitsComparedMax = 50_000_000
/** UTF-16 units of a quote; as much as the longest page that can be read, whatever its characters. */
export const quoteUnitsMax = 400_000
/** On either side of a match, UTF-16 units in which its sentence is looked for: a text may be a single line. */
export const sentenceReachUnits = 5_000
/** How far from its stored position a coding's text may have moved, code points. */
export const shiftLengthMax = 200
/** UTF-16 units of a coding's text that is looked for elsewhere: each of 400 places may compare it all. */
export const shiftedTextUnitsMax = 100_000
