/**
 * Whether a text that was sent and the text that a server shows are one. A server drops the host of whom it knows, and white
 * space where it likes.
 */
export function isSameText(sent: string, shown: string): boolean {
  return normalised(sent) === normalised(shown)
}

function normalised(text: string): string {
  return text
    .normalize('NFC')
    .replace(/(^|[^\w/])@([\w.-]+)@[\w.:-]*\w/gu, '$1@$2')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}
