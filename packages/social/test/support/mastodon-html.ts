/** What Mastodon makes of a text: its HTML, and its length. */

const urlPattern = String.raw`https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]`
const mentionPattern = String.raw`(?<![\w/@])@([A-Za-z0-9_]+)(@[A-Za-z0-9.:-]*[A-Za-z0-9])?`
const hashtagPattern = String.raw`(?<![\p{Letter}\p{Number}_&/])#([\p{Letter}\p{Mark}\p{Number}_]*\p{Letter}[\p{Letter}\p{Mark}\p{Number}_]*)`

export interface MentionTarget {
  readonly username: string
  readonly url: string
}

/** A link's ends are hidden by spans, a mention is a card without its host, a hashtag a link; an unknown name stays text. */
export function renderContent(
  text: string,
  { url, findAccount }: { readonly url: string; readonly findAccount: (acct: string) => MentionTarget | undefined },
): string {
  const entities = new RegExp(
    `(?<link>${urlPattern})|(?<mention>${mentionPattern})|(?<hashtag>${hashtagPattern})`,
    'gu',
  )
  let html = ''
  let end = 0
  for (const match of text.matchAll(entities)) {
    html += escaped(text.slice(end, match.index))
    end = match.index + match[0].length
    const { link, mention, hashtag } = match.groups!
    if (link !== undefined) html += linkHtml(link)
    else if (mention !== undefined) html += mentionHtml(mention, findAccount(mention.slice(1)))
    else html += hashtagHtml(hashtag!.slice(1), url)
  }
  return paragraphs(html + escaped(text.slice(end)))
}

/** Graphemes, content warning included: a URL is 23, a mention loses its host. */
export function countedLength(text: string, spoilerText: string): number {
  const counted = text
    .replace(new RegExp(urlPattern, 'gu'), 'x'.repeat(23))
    .replace(new RegExp(mentionPattern, 'gu'), '@$1')
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(spoilerText + counted)].length
}

export function mentionsOf(text: string): string[] {
  return [...text.matchAll(new RegExp(mentionPattern, 'gu'))].map((match) => match[0].slice(1))
}

/** In lower case. */
export function hashtagsOf(text: string): string[] {
  return [...text.matchAll(new RegExp(hashtagPattern, 'gu'))].map((match) => match[1]!.toLowerCase())
}

function linkHtml(link: string): string {
  const prefix = /^https?:\/\/(www\.)?/.exec(link)![0]
  const shown = link.slice(prefix.length, prefix.length + 30)
  const suffix = link.slice(prefix.length + 30)
  const kind = suffix === '' ? '' : 'ellipsis'
  return (
    `<a href="${escaped(link)}" target="_blank" rel="nofollow noopener noreferrer" translate="no">` +
    `<span class="invisible">${escaped(prefix)}</span><span class="${kind}">${escaped(shown)}</span>` +
    `<span class="invisible">${escaped(suffix)}</span></a>`
  )
}

function mentionHtml(mention: string, account: MentionTarget | undefined): string {
  if (account === undefined) return escaped(mention)
  return `<span class="h-card" translate="no"><a href="${account.url}" class="u-url mention">@<span>${account.username}</span></a></span>`
}

function hashtagHtml(tag: string, url: string): string {
  return `<a href="${url}/tags/${encodeURIComponent(tag)}" class="mention hashtag" rel="tag">#<span>${escaped(tag)}</span></a>`
}

function paragraphs(html: string): string {
  return html
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br />')}</p>`)
    .join('')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
