import { describe, expect, test } from 'vitest'
import { actorIn, pageOf, placeOfUri, postRefIn } from '../../../src/networks/bluesky/identifiers.js'

const did = 'did:plc:z72i7hdynmk6r22z27h6tvur'
const uri = `at://${did}/app.bsky.feed.post/3l6oveex3ii2l`

describe('the post that people mean', () => {
  test.each([
    [uri, uri],
    [` ${uri}\n`, uri],
    ['at://Bob.Test/app.bsky.feed.post/3l6oveex3ii2l', 'at://bob.test/app.bsky.feed.post/3l6oveex3ii2l'],
    ['https://bsky.app/profile/bob.test/post/3l6oveex3ii2l', 'at://bob.test/app.bsky.feed.post/3l6oveex3ii2l'],
    [`https://bsky.app/profile/${did}/post/3l6oveex3ii2l/?ref=x#y`, uri],
  ])('%j', (given, id) => expect(postRefIn(given)).toEqual({ id }))

  test.each([
    '',
    'bob.test',
    'https://bsky.app/profile/bob.test',
    'https://bsky.app/profile/bob.test/post/1',
    'https://bsky.app.evil.test/profile/bob.test/post/3l6oveex3ii2l',
    'https://evil.test/https://bsky.app/profile/bob.test/post/3l6oveex3ii2l',
    'https://mastodon.social/@bob/113',
    `at://${did}/app.bsky.feed.like/3l6oveex3ii2l`,
    `at://${did}/app.bsky.feed.post/../x`,
    'at://nobody/app.bsky.feed.post/3l6oveex3ii2l',
    'https://bsky.app/profile/a b/post/3l6oveex3ii2l',
    'x'.repeat(100_000),
  ])('is none in %j', (given) => expect(postRefIn(given)).toBeUndefined())
})

test('an account is a DID or a handle, with or without @', () => {
  expect(actorIn('@Bob.Test')).toBe('bob.test')
  expect(actorIn(did)).toBe(did)
  expect(actorIn('did:web:example.com')).toBe('did:web:example.com')
  for (const bad of [
    'bob',
    '@',
    '',
    'a..b',
    '-a.test',
    'a.1',
    'did:',
    'did:plc:',
    `${'a'.repeat(250)}.test`,
    'a b.test',
  ])
    expect(actorIn(bad)).toBeUndefined()
})

test('a record is at an account, in a collection, under a key', () => {
  expect(placeOfUri(uri)).toEqual({ repo: did, collection: 'app.bsky.feed.post', rkey: '3l6oveex3ii2l' })
  for (const bad of [
    'at://',
    `at://${did}`,
    `at://${did}/app.bsky.feed.post`,
    `${uri}/x`,
    `${uri}?x`,
    `http://${did}/a/b`,
  ])
    expect(placeOfUri(bad)).toBeUndefined()
})

test('a page names the handle, or the DID where the handle is nobody’s', () => {
  expect(pageOf(did, 'bob.test', 'r')).toBe('https://bsky.app/profile/bob.test/post/r')
  expect(pageOf(did, 'handle.invalid', 'r')).toBe(`https://bsky.app/profile/${did}/post/r`)
  expect(pageOf(did, '<script>', 'r')).toBe(`https://bsky.app/profile/${did}/post/r`)
})
