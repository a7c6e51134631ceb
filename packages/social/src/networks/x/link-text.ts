import twitter from 'twitter-text'
import { weightedLengthMax } from '../../limits.js'
import { decodeEntities } from '../../text/comparable-text.js'
import type { XTweet } from './answers.js'

/** X's text as a person reads it: its short links in full, the links to attached files gone, `&amp;` a plain &. */
export function plainText({ text, entities }: Pick<XTweet, 'text' | 'entities'>): string {
  const links = new Map(entities?.urls?.map(({ url, ...link }) => [url, link]))
  // One pass: what a link leads to may look like a short link, or an entity, itself.
  return text
    .replace(/https:\/\/t\.co\/\w+|&(?:amp|lt|gt);/g, (found) => {
      const link = links.get(found)
      if (link === undefined) return decodeEntities(found)
      return link.media_key === undefined ? (link.expanded_url ?? found) : ''
    })
    .trimEnd()
}

/**
 * Whether X's text is ours: it rewrites links, puts the names of those who are answered in front of a reply, and trims.
 * `unclear` where a short link does not say what it leads to and all else is equal.
 */
export function compareTexts(ours: string, theirs: Pick<XTweet, 'text' | 'entities'>): 'same' | 'other' | 'unclear' {
  const read = plainText(theirs)
  if (Math.max(ours.length, read.length) > weightedLengthMax) return 'other'
  if (comparable(ours) === comparable(read)) return 'same'
  const isHidden = /https:\/\/t\.co\/\w/.test(read)
  return isHidden && comparable(ours, () => '') === comparable(read, () => '') ? 'unclear' : 'other'
}

function comparable(text: string, wordFor: (url: string) => string = withoutScheme): string {
  let rest = ''
  let end = 0
  for (const { url, indices } of twitter.extractUrlsWithIndices(text)) {
    rest += text.slice(end, indices[0]) + wordFor(url)
    end = indices[1]
  }
  return `${rest}${text.slice(end)}`
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(@\w+ )+/, '')
}

/** X writes `example.com` as `http://example.com`, or with https, or with a slash. */
function withoutScheme(url: string): string {
  const [host = '', ...path] = url.replace(/^https?:\/\//i, '').split('/')
  return [host.toLowerCase(), ...path].join('/').replace(/\/$/, '')
}
