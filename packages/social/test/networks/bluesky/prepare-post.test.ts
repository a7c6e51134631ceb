import { describe, expect, test } from 'vitest'
import { preparePost } from '../../../src/networks/bluesky/prepare-post.js'
import type { Part } from '../../../src/networks/network-adapter.js'

const rule = { kind: 'graphemes', max: 300, bytesMax: 3_000 } as const
const key = { key: '3kabcdefghij2', createdAt: Date.parse('2026-03-02T12:00:00Z') }
const ref = (name: string) => ({ id: `at://did:plc:bob/app.bsky.feed.post/${name}`, cid: `cid-${name}` })
const image = { sha256: '0', mime: 'image/png', bytes: new Uint8Array(10), alt: 'An image' }
const prepare = (part: Partial<Part>) => preparePost({ text: 'a post', media: [], ...part }, key, rule)

describe('what goes out', () => {
  test('is the same for the same part and key', () => {
    const part = { text: 'Hi @bob.test #tag', parent: ref('a'), root: ref('r'), language: 'de', media: [image] }
    expect(prepare(part).request).toEqual(prepare(part).request)
    expect(prepare(part).request).toMatchObject({
      rkey: '3kabcdefghij2',
      record: {
        $type: 'app.bsky.feed.post',
        text: 'Hi @bob.test #tag',
        createdAt: '2026-03-02T12:00:00.000Z',
        langs: ['de'],
        reply: {
          root: { uri: 'at://did:plc:bob/app.bsky.feed.post/r', cid: 'cid-r' },
          parent: { uri: 'at://did:plc:bob/app.bsky.feed.post/a', cid: 'cid-a' },
        },
      },
    })
  })

  test('a reply to a post that begins a thread has that post as both', () => {
    const { reply } = prepare({ parent: ref('a') }).request.record
    expect(reply?.root).toEqual(reply?.parent)
  })

  test('is refused when Bluesky could not take it', () => {
    const refused = (part: Partial<Part>, code: string, message: RegExp) =>
      expect(() => prepare(part)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
    refused({ text: 'é'.repeat(301) }, 'tweet_too_long', /301 graphemes, and bluesky takes 300/)
    refused({ text: '👨‍👩‍👧‍👦'.repeat(200) }, 'tweet_too_long', /5000 bytes, and bluesky takes 3000/)
    refused({ text: ' \u200b ' }, 'validation_error', /must not be empty/)
    refused({ media: Array(5).fill(image) }, 'unsupported_media_type', /takes 4 images/)
    refused({ media: [{ ...image, mime: 'video/mp4' }] }, 'unsupported_media_type', /video\/mp4 is none/)
    refused({ media: [{ ...image, bytes: new Uint8Array(2_000_001) }] }, 'media_upload_error', /2000001 bytes/)
    refused({ media: [{ ...image, alt: 'x'.repeat(2_001) }] }, 'validation_error', /alt text has 2001/)
    refused({ visibility: 'private' }, 'capability_missing', /public/)
    refused({ contentWarning: 'spoilers' }, 'capability_missing', /content warnings/)
    refused({ parent: { id: 'at://did:plc:bob/app.bsky.feed.post/a' } }, 'validation_error', /Read .* first/)
  })

  test('300 graphemes of several characters each are taken', () => {
    expect(() => prepare({ text: 'e\u0301'.repeat(300) })).not.toThrow()
    expect(() => prepare({ visibility: 'public', contentWarning: '' })).not.toThrow()
  })

  test('an image may stand alone', () => {
    expect(() => prepare({ text: '', media: [image] })).not.toThrow()
  })
})
