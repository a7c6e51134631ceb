import { describe, expect, test } from 'vitest'
import { freshMsOf, ResponseCache } from '../../src/http/response-cache.js'

const a = 'https://a.example'
const mebibyte = 1024 * 1024

function keep(
  cache: ResponseCache,
  url: string,
  { base = a, identity = 'admin', text = url, bytes = 10, now = 0 } = {},
) {
  cache.keep(cache.begin(base, identity, url, 10_000, now), text, bytes)
}

describe('answers that are kept', () => {
  test('are found by forum, identity and URL until they are too old', () => {
    const cache = new ResponseCache()
    keep(cache, 'u')
    expect(cache.find(a, 'admin', 'u', 9_999)).toBe('u')
    expect(cache.find(a, 'other', 'u', 0)).toBeUndefined()
    expect(cache.find('https://b.example', 'admin', 'u', 0)).toBeUndefined()
    expect(cache.find(a, 'admin', 'u?x', 0)).toBeUndefined()
    expect(cache.find(a, 'admin', 'u', 10_000)).toBeUndefined()
  })

  test('are as old as the request, not as the answer', () => {
    const cache = new ResponseCache()
    const reading = cache.begin(a, 'admin', 'u', 10_000, 0)
    cache.keep(reading, 'slow', 4)
    expect(cache.find(a, 'admin', 'u', 10_000)).toBeUndefined()
  })

  test('are gone for all identities of a forum, and of no other, once somebody writes there', () => {
    const cache = new ResponseCache()
    keep(cache, 'u')
    keep(cache, 'u', { identity: 'anonymous' })
    keep(cache, 'u', { base: 'https://b.example' })
    cache.empty(a)
    expect(cache.find(a, 'admin', 'u', 0)).toBeUndefined()
    expect(cache.find(a, 'anonymous', 'u', 0)).toBeUndefined()
    expect(cache.find('https://b.example', 'admin', 'u', 0)).toBe('u')
  })

  test('are never those that were asked for before a write', () => {
    const cache = new ResponseCache()
    const reading = cache.begin(a, 'admin', 'u', 10_000, 0)
    const elsewhere = cache.begin('https://b.example', 'admin', 'u', 10_000, 0)
    cache.empty(a)
    cache.keep(reading, 'old', 3)
    cache.keep(elsewhere, 'right', 5)
    expect(cache.find(a, 'admin', 'u', 0)).toBeUndefined()
    expect(cache.find('https://b.example', 'admin', 'u', 0)).toBe('right')
  })

  test('are at most 500; the one that nobody used for longest gives way', () => {
    const cache = new ResponseCache()
    for (let index = 0; index < 500; index += 1) keep(cache, `${index}`)
    cache.find(a, 'admin', '0', 0)
    keep(cache, 'one more')
    expect(cache.find(a, 'admin', '0', 0)).toBe('0')
    expect(cache.find(a, 'admin', '1', 0)).toBeUndefined()
    expect(cache.find(a, 'admin', '2', 0)).toBe('2')
  })

  test('are at most 16 MiB together', () => {
    const cache = new ResponseCache()
    for (const url of ['1', '2']) keep(cache, url, { bytes: 8 * mebibyte })
    expect(cache.find(a, 'admin', '1', 0)).toBe('1')
    keep(cache, '3', { bytes: 1 })
    expect(['1', '2', '3'].map((url) => cache.find(a, 'admin', url, 0))).toEqual(['1', undefined, '3'])
    // What is replaced or too old counts no more.
    for (let round = 0; round < 5; round += 1) keep(cache, '1', { bytes: 8 * mebibyte })
    cache.find(a, 'admin', '1', 20_000)
    for (const url of ['4', '5']) keep(cache, url, { bytes: 8 * mebibyte - 1 })
    expect(['3', '4', '5'].map((url) => cache.find(a, 'admin', url, 0))).toEqual(['3', '4', '5'])
  })
})

test.each([
  ['/t/1.json', 10],
  ['/t/1/posts.json', 10],
  ['/posts/12.json', 10],
  ['/posts/12', 10],
  ['/site.json', 30],
  ['/categories.json', 30],
  ['/categories/find.json', 30],
  ['/tags.json', 30],
  ['/groups.json', 30],
  ['/about.json', 60],
  ['/posts.json', 0],
  ['/posts/12/replies.json', 0],
  ['/search.json', 0],
  ['/filter.json', 0],
  ['/drafts/new_topic.json', 0],
  ['/u/bob.json', 0],
  ['/topics/private-messages/bob.json', 0],
  ['/site/basic-info.json', 0],
  ['/chat/api/channels', 0],
  ['/notifications.json', 0],
  ['/ai/tools', 0],
])('%s is of use for %i s', (path, seconds) => {
  expect(freshMsOf(path)).toBe(seconds * 1_000)
})
