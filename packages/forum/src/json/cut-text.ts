/** The first `lengthMax` code points, and whether there were more. */
export function cutText(text: string, lengthMax: number): { readonly text: string; readonly isCut: boolean } {
  // A code point has one or two units: shorter than that needs no counting.
  if (text.length <= lengthMax) return { text, isCut: false }
  let end = 0
  for (let count = 0; count < lengthMax && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xff_ff ? 2 : 1
  }
  return { text: text.slice(0, end), isCut: end < text.length }
}
