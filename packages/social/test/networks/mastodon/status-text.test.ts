import { describe, expect, it } from 'vitest'
import { hashtagOf } from '../../../src/networks/mastodon/hashtag.js'
import { nextPageId } from '../../../src/networks/mastodon/next-page.js'
import { isSameText } from '../../../src/networks/mastodon/same-text.js'
import { newestId } from '../../../src/networks/mastodon/status-ids.js'
import { statusText } from '../../../src/networks/mastodon/status-text.js'

describe("the text of a post's HTML", () => {
  it.each([
    ['<p>One<br />two</p><p>three</p>', 'One\ntwo\n\nthree'],
    ['<p>&lt;b&gt; &amp;amp; &quot;x&quot; &#39;y&#39;</p>', '<b> &amp; "x" \'y\''],
    [
      '<a href="https://e.example/abc"><span class="invisible">https://</span><span class="ellipsis">e.example/a</span><span class="invisible">bc</span></a>',
      'https://e.example/abc',
    ],
    ['<span class="h-card"><a href="x">@<span>bob</span></a></span> <a href="y">#<span>tag</span></a>', '@bob #tag'],
    ['<p>Hi<script>alert(1)</script><img src=x alt="y"></p>', 'Hi'],
    ['plain', 'plain'],
    ['<h1>One</h1><p>two</p>', 'One\n\ntwo'],
    ['', ''],
  ])('%s', (html, text) => {
    expect(statusText(html)).toBe(text)
  })

  it('is bounded, whatever comes', () => {
    expect(statusText(`<p>${'😀'.repeat(90_000)}`).length).toBeLessThanOrEqual(10_000)
    expect(statusText('<div>'.repeat(20_000)).length).toBeLessThanOrEqual(10_000)
    expect(statusText('<'.repeat(100_000)).length).toBeLessThanOrEqual(10_000)
  })
})

describe('two texts', () => {
  it.each([
    ['@bob@elsewhere.example Hi', '@Bob Hi', true],
    ['a\n\n\nb ', 'a b', true],
    ['E\u0301', '\u00c9', true],
    ['https://e.example/@bob@other.example', 'https://e.example/@bob', false],
    ['mail bob@elsewhere.example', 'mail bob', false],
    ['Hello', 'Hello!', false],
  ])('%j and %j: the same? %s', (sent, shown, same) => {
    expect(isSameText(sent, shown)).toBe(same)
  })
})

describe('a keyword as a hashtag', () => {
  it.each([
    ['MCP', 'mcp'],
    ['ai agents', 'aiagents'],
    ['self-hosting!', 'selfhosting'],
    ['#Café', 'café'],
    ['日本語', '日本語'],
    ['2026', undefined],
    ['C++', 'c'],
    ['?!', undefined],
  ])('%s', (keyword, tag) => {
    expect(hashtagOf(keyword)).toBe(tag)
  })
})

describe('the next page', () => {
  it.each([
    ['<https://a.example/api?limit=2&max_id=7>; rel="next", <https://a.example/api?min_id=9>; rel="prev"', '7'],
    ['<https://a.example/api?min_id=9>; rel="prev", <https://a.example/api?max_id=7>; rel="next"', '7'],
    ['<https://a.example/api?min_id=9>; rel="prev"', undefined],
    ['<https://a.example/api?max_id=../x>; rel="next"', undefined],
    ['<not a url>; rel="next"', undefined],
    [null, undefined],
  ])('of %s', (link, id) => {
    expect(nextPageId(link)).toBe(id)
  })
})

describe('the newest of some ids', () => {
  it('is the longest, then the last by letters', () => {
    expect(newestId(['999', '1000', undefined, '998'])).toBe('1000')
    expect(newestId(['116012345678901234', '116012345678901235'])).toBe('116012345678901235')
    expect(newestId([undefined])).toBeUndefined()
  })
})
