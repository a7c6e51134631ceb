/** mm:ss, h:mm:ss, hh:mm:ss.mmm. Every quantifier is bounded, so that no text makes these slow. */
const bareClock = '\\d{1,2}:\\d{2}(?::\\d{2})?(?:[.,]\\d{1,3})?'
const longClock = '\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,3})?'
/** In brackets a time may also be written with dots: [01.23]. */
const dottedClock = '\\d{1,3}[:.]\\d{2}(?:[:.]\\d{2})?(?:[.,-]\\d{1,3})?'

/** A time that brackets or hashes set off from speech: [00:12], {1.02.03}, (00:12), #00:01:02-3#. */
export const setOffClock = `(?:[[{]${dottedClock}[\\]}]|\\(${bareClock}\\)|#\\d{1,2}:\\d{2}:\\d{2}(?:[-.,]\\d{1,3})?#)`

/** What may stand before a marker in its line: "[00:12] ", "00:01:02 - ". */
export const clockBeforeMarker = `(?:${setOffClock}[ \\t]{0,20}|${bareClock}[ \\t]{1,20})(?:[-–][ \\t]{1,20})?`

const blanks = '[ \\t]{0,20}'
const lineStart = '(?<=[\\n\\r\\u2028\\u2029])'
const lineBreak = '(?:\\r\\n|[\\n\\r\\u2028\\u2029])'

/**
 * Everything that is about time and not said by anybody: lines of subtitles with the number before them, a time that has a
 * line of its own or begins one, and times set off in the midst of a line. A clock time within a sentence is none of these. The first
 * character of a text begins no line here: what goes before it is to be given with it.
 */
export const timestamps = new RegExp(
  [
    `${lineStart}${blanks}(?:\\d{1,9}${blanks}${lineBreak})?${blanks}${bareClock}${blanks}-->.*$`,
    `${lineStart}${blanks}${bareClock}${blanks}$`,
    `${lineStart}${blanks}${longClock}(?=[ \\t])`,
    setOffClock,
  ].join('|'),
  'gmu',
)
