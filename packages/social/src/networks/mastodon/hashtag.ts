/** The hashtag, without #, by which people would mark that word or phrase; undefined where there can be none. */
export function hashtagOf(keyword: string): string | undefined {
  const tag = keyword
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Mark}\p{Number}_]/gu, '')
  return /\p{Letter}/u.test(tag) ? tag : undefined
}
