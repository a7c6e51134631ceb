/** For a character class: scripts whose words stand without blanks between them. */
const unspaced =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Bopo}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}ー'

/** One character of a word in a script that puts blanks between words. */
export const wordCharacter = `(?![${unspaced}])[\\p{L}\\p{M}\\p{N}_]`

/** One character of a script that puts none. */
export const unspacedCharacter = `[${unspaced}]`
