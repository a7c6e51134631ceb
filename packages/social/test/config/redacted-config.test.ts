import { describe, expect, it } from 'vitest'
import { redactedValue } from '../../src/config.js'

describe('redaction', () => {
  it.each([
    'api_key',
    'access_token',
    'app_password',
    'client_secret',
    'refresh_token_file',
    'Authorization',
    'apiKey',
    'x-api-key',
    'keys',
    'TOKEN',
  ])('hides what %s holds', (key) => {
    expect(redactedValue({ a: [{ [key]: 's3cret' }] })).toEqual({ a: [{ [key]: '[redacted]' }] })
    expect(redactedValue({ [key]: { inner: 's3cret' } })).toEqual({ [key]: '[redacted]' })
  })

  it.each(['product_keywords', 'competitor_keywords', 'keyword_saturation', 'author', 'monkey', 'tokenizer'])(
    'shows what %s holds',
    (key) => {
      expect(redactedValue({ [key]: ['mcp'] })).toEqual({ [key]: ['mcp'] })
    },
  )

  it.each([
    ['https://ada:s3cret@example.org/a?key=s3cret#s3cret', 'https://example.org/a'],
    ['https://example.org', 'https://example.org'],
    ['http://s3cret@127.0.0.1:8080/', 'http://127.0.0.1:8080/'],
    ['https://ada:s3@cret@example.org', 'https://example.org'],
    [
      'see https://a:s3cret@x.example/?s3cret or https://y.example?s3cret',
      'see https://x.example/ or https://y.example',
    ],
    ['mail ada@example.org?', 'mail ada@example.org?'],
  ])('leaves of %s no user and no query', (text, shown) => {
    expect(redactedValue({ list: [text] })).toEqual({ list: [shown] })
  })
})
