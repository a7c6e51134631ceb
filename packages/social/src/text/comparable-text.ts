/** What is left of a text when networks have had their way with its form: by this a post is compared with what was sent. */
export function comparableText(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim()
}
