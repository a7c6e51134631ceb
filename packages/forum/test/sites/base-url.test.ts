import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { baseOf, isBelow, isPrivateWay, originOf, pathOf } from '../../src/sites/base-url.js'

describe('the base of a forum', () => {
  test.each([
    ['https://Meta.Discourse.ORG/', 'https://meta.discourse.org'],
    ['HTTPS://example.com:443/forumA/', 'https://example.com/forumA'],
    ['http://example.com:80', 'http://example.com'],
    ['https://example.com:8443/a/b//?q=1#top', 'https://example.com:8443/a/b'],
    ['https://example.com/a/../b/./', 'https://example.com/b'],
    ['https://example.com/ForumA', 'https://example.com/ForumA'],
    ['http://127.1/', 'http://127.0.0.1'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ])('of %s is %s', (url, base) => {
    expect(baseOf(url)).toBe(base)
  })

  test.each([
    ['', /does not begin with https:\/\//],
    ['meta.discourse.org', /does not begin with https:\/\//],
    ['ftp://example.com', /does not begin with https:\/\//],
    ['file:///etc/passwd', /does not begin with https:\/\//],
    ['javascript:alert(1)', /does not begin with https:\/\//],
    ['localhost:4200', /does not begin with https:\/\//],
    ['https://user@example.com', /user name or password/],
    ['https://user:word@example.com', /user name or password/],
    ['https://example.com/a%2f..%2fb', /lead out/],
    ['https://example.com/a/%252e%252e/b', /lead out/],
    ['https://example.com/..;/b', /lead out/],
    [`https://example.com/${'a'.repeat(2_000)}`, /not a URL/],
  ])('is not to be had of %j', (url, why) => {
    expect(() => baseOf(url)).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        message: expect.stringMatching(new RegExp(`${why.source}.* Give the forum's address`)),
      }),
    )
  })

  test('never shows what it refused', () => {
    expect(() => baseOf('https://user:hunter22@example.com')).not.toThrow(/hunter22/)
  })

  test('has an origin and a path', () => {
    expect([originOf('https://example.com/forumA'), pathOf('https://example.com/forumA')]).toEqual([
      'https://example.com',
      '/forumA',
    ])
    expect(pathOf('https://example.com')).toBe('')
  })
})

describe('a URL is below', () => {
  const base = 'https://example.com/forumA'

  test.each(['', '/', '/t/1.json', '?page=2', '/a/../b', '//t', '/u/50%2525'])(
    'the base with %j at its end',
    (rest) => {
      expect(isBelow(base, `${base}${rest}`)).toBe(true)
    },
  )

  test.each([
    'https://example.com/forumAB',
    'https://example.com/forum',
    'https://example.com/',
    'https://example.com/forumB/forumA',
    'https://example.com/ForumA/t',
    'https://example.com:8443/forumA/t',
    'http://example.com/forumA/t',
    'https://evil.com/forumA/t',
    'https://example.com.evil.com/forumA/t',
    'https://example.com@evil.com/forumA/t',
    'https://user@example.com/forumA/t',
    'https://example.com/forumA/../forumB',
    'https://example.com/forumA/%2e%2e/forumB',
    'https://example.com/forumA/%2E%2e%2fforumB',
    'https://example.com/forumA/..%2fforumB',
    'https://example.com/forumA/..%5cforumB',
    'https://example.com/forumA/%252e%252e/forumB',
    'https://example.com/forumA/%25%32%65%252e/forumB',
    'https://example.com/forumA/..;x=1/forumB',
    'https://example.com\\@evil.com/forumA',
    `https://example.com/forumA/%${'25'.repeat(500)}2e./x`,
    'no url',
  ])('no base when it is %s', (url) => {
    expect(isBelow(base, url)).toBe(false)
  })
})

test('only https and this machine are private ways', () => {
  const ways = [
    'https://example.com',
    'http://127.0.0.1:8',
    'http://127.9.8.7',
    'http://localhost:3000/a',
    'http://[::1]',
  ]
  for (const way of ways) expect([way, isPrivateWay(way)]).toEqual([way, true])
  for (const way of [
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
  ])
    expect([way, isPrivateWay(way)]).toEqual([way, false])
})

describe('for any address', () => {
  const segment = fc.stringMatching(/^[a-zA-Z0-9_~-]{1,12}$/)
  const address = fc.record({
    scheme: fc.constantFrom('http', 'https', 'HTTPS'),
    host: fc.constantFrom('example.com', 'Forum.Example.ORG', 'localhost', '127.0.0.1', '[::1]', 'münchen.example'),
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    segments: fc.array(segment, { maxLength: 4 }),
    end: fc.constantFrom('', '/', '//', '?q=1', '/#top', '/?a#b'),
  })
  const urlOf = ({ scheme, host, port, segments, end }: typeof address extends fc.Arbitrary<infer V> ? V : never) =>
    `${scheme}://${host}${port === null ? '' : `:${port}`}${segments.map((each) => `/${each}`).join('')}${end}`

  test('the base of a base is that base, and is below itself', () => {
    fc.assert(
      fc.property(address, (parts) => {
        const base = baseOf(urlOf(parts))
        expect(baseOf(base)).toBe(base)
        expect(isBelow(base, base)).toBe(true)
        expect(base).toBe(originOf(base) + pathOf(base))
        expect(base).not.toMatch(/\/$|[?#]/)
      }),
    )
  })

  test('what follows after a slash is below it, what follows without one is not', () => {
    fc.assert(
      fc.property(address, segment, (parts, name) => {
        const base = baseOf(urlOf(parts))
        expect(isBelow(base, `${base}/${name}`)).toBe(true)
        if (pathOf(base) !== '') expect(isBelow(base, `${base}${name}`)).toBe(false)
      }),
    )
  })

  test('nothing is below that a parser or a decoding server would take elsewhere', () => {
    const up = fc.constantFrom('..', '%2e%2e', '.%2E', '%252e%252e', '..;a', '..%2f..', '..\\..', '%5c..', '%25252e.')
    fc.assert(
      fc.property(up, fc.array(segment, { maxLength: 2 }), segment, (dots, inside, outside) => {
        const base = 'https://example.com/forumA'
        const climb = inside.map(() => '..').concat(dots)
        const url = [base, ...inside, ...climb, outside].join('/')
        expect(isBelow(base, url)).toBe(false)
      }),
    )
  })
})
