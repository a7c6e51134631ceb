import { compile } from 'html-to-text'
import { statusHtmlDepthMax, statusHtmlMax, statusTextMax } from '../../limits.js'

/**
 * The plain text of a post's HTML: a link becomes the address that it shows, a paragraph an empty line. Of hostile HTML, as
 * much as limits allow.
 */
export function statusText(html: string): string {
  const text = toText(html.slice(0, statusHtmlMax)).slice(0, statusTextMax)
  // The cut may have gone through a character.
  return Buffer.from(text).toString('utf8')
}

const toText = compile({
  wordwrap: false,
  limits: { maxDepth: statusHtmlDepthMax, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false, leadingLineBreaks: 2 },
    })),
  ],
})
