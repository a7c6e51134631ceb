/** The program that documents name as theirs. Readers know by it how their positions count. */
export const exchangeOrigin = 'callboard (QualCoder)'
