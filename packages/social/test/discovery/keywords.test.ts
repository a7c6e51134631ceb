import { expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { keywordAfter, keywordsOf } from '../../src/discovery/keywords.js'

const business = (words: object) => parseSocialConfig({ business: { product_name: 'Callboard', ...words } }).business

it('takes product, competitor and industry words, each once', () => {
  const words = {
    product_keywords: ['MCP', 'agents'],
    competitor_keywords: ['Agents'],
    industry_topics: ['mcp', 'tools'],
  }
  expect(keywordsOf(business(words))).toEqual(['MCP', 'agents', 'tools'])
})

it('goes round, and begins anew behind a word that is gone', () => {
  const words = ['a', 'b', 'c']
  expect(keywordAfter(words, undefined)).toBe('a')
  expect(keywordAfter(words, 'A')).toBe('b')
  expect(keywordAfter(words, 'c')).toBe('a')
  expect(keywordAfter(words, 'gone')).toBe('a')
  expect(keywordAfter([], 'a')).toBeUndefined()
})
