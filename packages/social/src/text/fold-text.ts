/**
 * The form in which texts are compared by what they say: compatibility forms and cases alike, invisible characters gone,
 * every run of blanks one space.
 */
export function foldText(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase().replace(blanks, ' ')
  return (
    text
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      // Both ways, for ß and SS; a sigma is one wherever it stands.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
      .replace(blanks, ' ')
  )
}

/** But a single space, which most of them are: to replace it by itself takes time. */
const blanks = /\s{2,}|[^\S ]/g
