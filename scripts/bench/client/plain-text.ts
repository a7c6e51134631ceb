const lengthMax = 200

/** The words of a page, for a message. */
export function plainText(page: string): string {
  const text = page
    .replaceAll(/<[^>]*>|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
}
