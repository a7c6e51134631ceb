/** A string of its own: a slice keeps the whole text in memory that it is cut from. */
export const detached = (text: string): string => Buffer.from(text).toString()
