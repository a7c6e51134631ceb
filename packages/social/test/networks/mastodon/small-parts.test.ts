import { describe, expect, it } from 'vitest'
import { hashtagOf } from '../../../src/networks/mastodon/hashtag.js'
import { nextPageId } from '../../../src/networks/mastodon/next-page.js'
import { newestId } from '../../../src/networks/mastodon/status-ids.js'

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
