import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { htmlToText } from '../../src/text/html-to-text.js'
import { anyText } from '../support/any-text.js'

describe('what Mastodon sends', () => {
  it.each([
    ['paragraphs and line breaks', '<p>One<br />two</p><p>three</p>', 'One\ntwo\n\nthree'],
    [
      'a link, of which a part is invisible, is the whole URL once',
      '<p>See <a href="https://example.com/very/long/path" rel="nofollow noopener" translate="no" target="_blank"><span class="invisible">https://</span><span class="ellipsis">example.com/very/lo</span><span class="invisible">ng/path</span></a> there</p>',
      'See https://example.com/very/long/path there',
    ],
    [
      'a mention is a name',
      '<p><span class="h-card" translate="no"><a href="https://mastodon.example/@ada" class="u-url mention">@<span>ada</span></a></span> hi</p>',
      '@ada hi',
    ],
    [
      'a hashtag is a word',
      '<p>on <a href="https://mastodon.example/tags/mcp" class="mention hashtag" rel="tag">#<span>mcp</span></a></p>',
      'on #mcp',
    ],
    ['entities', '<p>a &amp; b &lt;c&gt; &#39;d&#39; &quot;e&quot;</p>', `a & b <c> 'd' "e"`],
    ['a heading is not shouted', '<h1>Read this</h1><p>now</p>', 'Read this\n\nnow'],
    [
      'pictures, scripts and styles say nothing',
      '<p>a<img src="x" alt="y"></p><script>b</script><style>c</style>',
      'a',
    ],
    ['plain text', 'just text', 'just text'],
    ['nothing', '<p></p>', ''],
  ])('%s', (_, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })
})

describe('what strangers send', () => {
  it.each([
    ['deep', '<div>'.repeat(50_000)],
    ['open', '<a href="'.repeat(50_000)],
    ['long', `<p>${'a '.repeat(500_000)}`],
    ['nested lists', '<ul><li>'.repeat(50_000)],
    ['entities', '&amp;'.repeat(100_000)],
  ])('input that is %s is read as far as the limits go', (_, html) => {
    expect(htmlToText(html).length).toBeLessThanOrEqual(100_000)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(typeof htmlToText(`<p>${text}`)).toBe('string')
      }),
    )
  })
})
