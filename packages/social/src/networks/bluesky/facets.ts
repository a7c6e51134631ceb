import { blueskyMentionsMax, blueskyTagGraphemesMax } from '../../limits.js'
import { isHandle } from './identifiers.js'

/** What a stretch of the text is besides text. UTF-8 byte offsets, the end excluded. */
export interface Span {
  readonly byteStart: number
  readonly byteEnd: number
  readonly meaning:
    | { readonly kind: 'link'; readonly uri: string }
    | { readonly kind: 'mention'; readonly handle: string }
    | { readonly kind: 'tag'; readonly tag: string }
}

type Feature = { readonly $type: string } & (
  | { readonly uri: string }
  | { readonly tag: string }
  | { readonly did: string }
)

interface Facet {
  readonly index: { readonly byteStart: number; readonly byteEnd: number }
  readonly features: readonly [Feature]
}

/** Links with a scheme, @handles and #hashtags, in the order of the text; what begins within another one is part of it. */
export function spansOf(text: string): Span[] {
  const found = [...linksOf(text), ...mentionsOf(text), ...tagsOf(text)]
  return found
    .sort((one, other) => one.start - other.start)
    .filter(({ start }, index, sorted) =>
      sorted.slice(0, index).every((before) => before.start + before.shown.length <= start),
    )
    .map(({ start, shown, meaning }) => {
      const byteStart = Buffer.byteLength(text.slice(0, start))
      return { byteStart, byteEnd: byteStart + Buffer.byteLength(shown), meaning }
    })
}

/** `dids` by handle in lower case; a mention of nobody known stays text. */
export function facetsOf(spans: readonly Span[], dids: ReadonlyMap<string, string>): Facet[] {
  return spans.flatMap(({ byteStart, byteEnd, meaning }) => {
    const feature = featureOf(meaning, dids)
    return feature === undefined ? [] : [{ index: { byteStart, byteEnd }, features: [feature] as const }]
  })
}

function featureOf(meaning: Span['meaning'], dids: ReadonlyMap<string, string>): Feature | undefined {
  switch (meaning.kind) {
    case 'link':
      return { $type: 'app.bsky.richtext.facet#link', uri: meaning.uri }
    case 'tag':
      return { $type: 'app.bsky.richtext.facet#tag', tag: meaning.tag }
    case 'mention': {
      const did = dids.get(meaning.handle)
      return did === undefined ? undefined : { $type: 'app.bsky.richtext.facet#mention', did }
    }
  }
}

/** Whom the text mentions, in lower case, each once. */
export function handlesIn(spans: readonly Span[]): string[] {
  const handles = spans.flatMap(({ meaning }) => (meaning.kind === 'mention' ? [meaning.handle] : []))
  return [...new Set(handles)].slice(0, blueskyMentionsMax)
}

interface Found {
  /** Of UTF-16. */
  readonly start: number
  readonly shown: string
  readonly meaning: Span['meaning']
}

function linksOf(text: string): Found[] {
  return [...text.matchAll(/(?<=^|[\s(])https?:\/\/[^\s<>"]+/giu)].flatMap((match) => {
    const shown = withoutClosing(match[0])
    return URL.canParse(shown) ? [{ start: match.index, shown, meaning: { kind: 'link' as const, uri: shown } }] : []
  })
}

/** A full stop ends the sentence, not the URL; a bracket is the URL's where it opened it. */
function withoutClosing(url: string): string {
  const bare = url.replace(/[.,;:!?'…]+$/u, '')
  const isSentences = bare.endsWith(')') && bare.split(')').length > bare.split('(').length
  return isSentences ? withoutClosing(bare.slice(0, -1)) : bare
}

function mentionsOf(text: string): Found[] {
  return [...text.matchAll(/(?<=^|[\s(])@([a-z0-9.-]+)/giu)].flatMap((match) => {
    const handle = match[1]!.replace(/[.-]+$/, '')
    if (!isHandle(handle)) return []
    const meaning = { kind: 'mention' as const, handle: handle.toLowerCase() }
    return [{ start: match.index, shown: `@${handle}`, meaning }]
  })
}

function tagsOf(text: string): Found[] {
  return [...text.matchAll(/(?<=^|\s)[#＃](?!\ufe0f)([^\s\p{Cf}\p{Me}]+)/gu)].flatMap((match) => {
    const tag = match[1]!.replace(/\p{P}+$/u, '')
    const isNumber = !/[^\d\p{P}]/u.test(tag)
    if (isNumber || [...new Intl.Segmenter().segment(tag)].length > blueskyTagGraphemesMax) return []
    return [{ start: match.index, shown: match[0].slice(0, 1) + tag, meaning: { kind: 'tag' as const, tag } }]
  })
}
