import { describe, expect, it } from 'vitest'
import { statusRef } from '../../../src/networks/mastodon/status-address.js'

const home = 'https://social.example'

describe('what names a post on Mastodon', () => {
  it.each([
    ['116012345678901234', '116012345678901234'],
    [' 42 ', '42'],
    ['01HXYZ0123456789ABCDEFGHJK', '01HXYZ0123456789ABCDEFGHJK'],
    ['AfjK3xZ1qF2mN0pQ7R', 'AfjK3xZ1qF2mN0pQ7R'],
    ['https://social.example/@bob/42', '42'],
    ['https://social.example/@bob/42/?utm=x#y', '42'],
    ['https://social.example/users/bob/statuses/42', '42'],
    ['https://social.example/ap/users/17/statuses/42', '42'],
    ['https://social.example/@bob@elsewhere.example/42', '42'],
    ['https://social.example/web/statuses/42', '42'],
    ['https://social.example/deck/@bob/42', '42'],
    ['https://social.example/@bob/statuses/01HXYZ0123456789ABCDEFGHJK', '01HXYZ0123456789ABCDEFGHJK'],
    ['https://elsewhere.example/@bob/42?x=y', 'https://elsewhere.example/@bob/42'],
    ['https://elsewhere.example/users/bob/statuses/42', 'https://elsewhere.example/users/bob/statuses/42'],
    ['https://elsewhere.example/notice/AfjK3xZ1qF2mN0pQ7R', 'https://elsewhere.example/notice/AfjK3xZ1qF2mN0pQ7R'],
    ['https://elsewhere.example/notes/9abcdefghij', 'https://elsewhere.example/notes/9abcdefghij'],
    [
      'https://elsewhere.example/objects/0b5f1f5e-7b2e-4d5e-9d5e-0123456789ab',
      'https://elsewhere.example/objects/0b5f1f5e-7b2e-4d5e-9d5e-0123456789ab',
    ],
  ])('%s', (given, id) => {
    expect(statusRef(given, home)).toEqual({ id })
  })

  it.each([
    '',
    'hello',
    'bob@social.example',
    '../../42',
    'https://social.example/@bob',
    'https://social.example/@bob/followers',
    'https://bsky.app/profile/bob.example/post/3l6oveex3ii2l',
    'at://did:plc:abc/app.bsky.feed.post/3l6oveex3ii2l',
    'https://x.com/bob/status/1234567890123456789',
    'https://medium.example/@bob/some-title-0123456789ab',
    'https://user:secret@social.example/@bob/42',
    'ftp://social.example/@bob/42',
    `https://social.example/@${'b'.repeat(3_000)}/42`,
  ])('not %s', (given) => {
    expect(statusRef(given, home)).toBeUndefined()
  })
})
