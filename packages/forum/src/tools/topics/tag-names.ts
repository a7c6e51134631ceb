import { isRecord, textAt } from '../../json/read-json.js'

/** Older forums have tags as names, newer ones as `{id, name, slug}`; agents always see names. */
export function tagNames(tags: readonly unknown[]): string[] {
  return tags.map(tagName).filter((name) => name !== undefined)
}

function tagName(tag: unknown): string | undefined {
  if (typeof tag === 'string') return tag
  // Once the name was called `text`, and was the id as well.
  return isRecord(tag) ? (textAt(tag, 'name') ?? textAt(tag, 'text') ?? textAt(tag, 'id')) : undefined
}
