import { compile } from 'html-to-text'
import { htmlDepthMax, htmlLengthMax } from '../limits.js'

/**
 * What a reader sees of a post that comes as HTML: paragraphs and line breaks kept, links as their text (Mastodon's is the whole
 * URL, in part invisible), mentions as `@user`. Input beyond the limits is left out; never throws.
 */
export function htmlToText(html: string): string {
  return convert(html.slice(0, htmlLengthMax))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const asWritten = { options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 2 } }

const convert = compile({
  wordwrap: false,
  // It would name every character that it cuts on the console; the slice above is ours.
  limits: { maxInputLength: htmlLengthMax, maxDepth: htmlDepthMax, ellipsis: '' },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, ...asWritten })),
  ],
})
