/** Whom a text addresses: names with their @, in its order and as written, without the full stop behind them. */
export function mentionedNames(text: string): readonly string[] {
  return [...text.matchAll(name)].map(([found]) => found)
}

/** Every reply to one person begins alike: for comparing what is said beside that. */
export function withoutNames(text: string): string {
  return text.replace(name, ' ')
}

/** `@ada`, `@ada@example.org`, `@ada.example.org`; an address of mail and a path are none. */
const name = /(?<![\p{L}\p{N}@./])@[\p{L}\p{N}_](?:[\p{L}\p{N}_.@-]*[\p{L}\p{N}_])?/gu
