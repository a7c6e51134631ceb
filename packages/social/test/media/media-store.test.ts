import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type MediaEntry, type MediaPlace, MediaStore } from '../../src/media/media-store.js'
import type { Capabilities } from '../../src/networks/network-adapter.js'
import { openTestFoundation } from '../support/test-foundation.js'

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('pixels')])
const capabilities: Capabilities = {
  tier: 'Open',
  canPost: true,
  canReply: true,
  canSearch: true,
  canDiscover: true,
  canAttach: true,
  replyRule: '',
  mediaMax: 4,
  mediaBytesMax: 100,
  altTextMax: 1_500,
}

function placeOf(changed: Partial<Capabilities> = {}, parts = 2): MediaPlace {
  return { network: { name: 'mastodon', capabilities: { ...capabilities, ...changed } }, parts }
}

function storeOver(...roots: string[]): MediaStore {
  return new MediaStore({ roots, clock: new VirtualClock() })
}

function entry(given: Partial<MediaEntry>): MediaEntry {
  return { alt: 'A cat', part: 0, ...given }
}

function ofBytes(bytes: Buffer, given: Partial<MediaEntry> = {}): MediaEntry {
  return entry({ data: bytes.toString('base64'), ...given })
}

/** A directory `root` beside a file `secret.png`. */
function directories(): { outside: string; root: string } {
  const outside = mkdtempSync(join(tmpdir(), 'callboard-media-'))
  onTestFinished(() => rmSync(outside, { recursive: true }))
  const root = join(outside, 'root')
  mkdirSync(root)
  writeFileSync(join(outside, 'secret.png'), png)
  writeFileSync(join(root, 'cat.png'), png)
  return { outside, root }
}

async function refusal(read: Promise<unknown>): Promise<{ code: string; message: string }> {
  return await read.then(
    () => ({ code: 'none', message: '' }),
    (error) => ({ code: error.code, message: error.message }),
  )
}

describe('bytes that are given', () => {
  it('are known by their first bytes', async () => {
    const webp = Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1')
    const files = [png, Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from('GIF89a..'), webp]
    const read = await storeOver().read(
      files.map((bytes) => ofBytes(bytes)),
      placeOf(),
    )
    expect(read.map(({ mime }) => mime)).toEqual(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
    expect(read[0]).toMatchObject({ alt: 'A cat', part: 0, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it.each(['<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF88a', 'PNG', '\x89', 'RIFF1234WAVE'])(
    'are refused when they are no such image: %j',
    async (text) => {
      const read = storeOver().read([ofBytes(Buffer.from(text, 'latin1'))], placeOf())
      expect((await refusal(read)).code).toBe('unsupported_media_type')
    },
  )

  it.each(['', '!', 'iVBORw0KGgo', 'iVBO Rw0KGgo=', 'data:image/png;base64,iVBORw0KGgo=', 'iVBORw0KGgp='])(
    'must be strict base64: %j',
    async (data) => {
      const { code, message } = await refusal(storeOver().read([entry({ data })], placeOf()))
      expect([code, message]).toEqual(['validation_error', expect.stringContaining('base64')])
    },
  )

  it('have a limit for each and for all', async () => {
    const fits = Buffer.concat([png, Buffer.alloc(100 - png.length)])
    await storeOver().read([ofBytes(fits)], placeOf())
    const { code } = await refusal(storeOver().read([ofBytes(Buffer.concat([fits, Buffer.alloc(1)]))], placeOf()))
    expect(code).toBe('validation_error')
    const large = Buffer.concat([png, Buffer.alloc(12 * 1024 * 1024)])
    const read = storeOver().read([ofBytes(large), ofBytes(large), ofBytes(large)], placeOf({ mediaBytesMax: 2 ** 25 }))
    expect((await refusal(read)).message).toContain('together')
  })
})

describe('entries', () => {
  it('are either a path or bytes', async () => {
    for (const given of [{}, { path: '/a', data: 'AAAA' }]) {
      expect((await refusal(storeOver('/').read([entry(given)], placeOf()))).code).toBe('validation_error')
    }
  })

  it('belong to a part that exists, as many as its network takes', async () => {
    for (const part of [-1, 2, 0.5, Number.NaN]) {
      expect((await refusal(storeOver().read([ofBytes(png, { part })], placeOf()))).code).toBe('validation_error')
    }
    const four = [1, 2, 3, 4].map(() => ofBytes(png))
    expect(await storeOver().read([...four, ofBytes(png, { part: 1 })], placeOf())).toHaveLength(5)
    expect((await refusal(storeOver().read([...four, ofBytes(png)], placeOf()))).code).toBe('validation_error')
  })

  it('have an alt text of limited length', async () => {
    await storeOver().read([ofBytes(png, { alt: 'a'.repeat(1_500) })], placeOf())
    const read = storeOver().read([ofBytes(png, { alt: 'a'.repeat(1_501) })], placeOf())
    expect((await refusal(read)).code).toBe('validation_error')
  })

  it('are refused where posts take no files', async () => {
    const place = placeOf({ canAttach: false })
    expect((await refusal(storeOver().read([ofBytes(png)], place))).code).toBe('capability_missing')
    expect(await storeOver().read([], place)).toEqual([])
  })
})

describe('paths', () => {
  it('are read below a root, relative ones too', async () => {
    const { root } = directories()
    for (const path of ['cat.png', join(root, 'cat.png'), `${root}/./cat.png`]) {
      const [read] = await storeOver('/nowhere', root).read([entry({ path })], placeOf())
      expect(Buffer.from(read!.bytes)).toEqual(png)
    }
  })

  it('are refused while no root is listed, with what to do', async () => {
    const { root } = directories()
    const { code, message } = await refusal(storeOver().read([entry({ path: join(root, 'cat.png') })], placeOf()))
    expect(code).toBe('file_read_error')
    expect(message).toContain('social.media.roots')
  })

  it('do not lead out, by dots or by links, and say nothing about what is there', async () => {
    const { outside, root } = directories()
    symlinkSync(join(outside, 'secret.png'), join(root, 'link.png'))
    symlinkSync(outside, join(root, 'up'))
    mkdirSync(join(outside, 'root-2'))
    writeFileSync(join(outside, 'root-2', 'cat.png'), png)
    const paths = ['../secret.png', 'link.png', 'up/secret.png', `${root}-2/cat.png`, '../root-2/cat.png', '..', '.']
    for (const path of [...paths, '../missing.png', join(outside, 'secret.png'), '/etc/passwd', '/etc/none']) {
      const { code, message } = await refusal(storeOver(root).read([entry({ path })], placeOf()))
      expect([path, code]).toEqual([path, 'file_read_error'])
      expect(message.replace(JSON.stringify(path), '')).toMatch(/^ is no readable file below a directory/)
    }
  })

  it('follow a link that stays inside', async () => {
    const { root } = directories()
    symlinkSync(join(root, 'cat.png'), join(root, 'link.png'))
    expect(await storeOver(root).read([entry({ path: 'link.png' })], placeOf())).toHaveLength(1)
  })

  it('name regular files only: a directory is refused, and a pipe is not waited for', async () => {
    const { root } = directories()
    mkdirSync(join(root, 'folder'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    for (const path of ['folder', 'pipe', 'cat.png/']) {
      const { code } = await refusal(storeOver(root).read([entry({ path })], placeOf()))
      if (path !== 'cat.png/') expect([path, code]).toEqual([path, 'file_read_error'])
    }
  })

  it('are read up to the limit only', async () => {
    const { root } = directories()
    writeFileSync(join(root, 'large.png'), Buffer.concat([png, Buffer.alloc(100)]))
    expect((await refusal(storeOver(root).read([entry({ path: 'large.png' })], placeOf()))).code).toBe(
      'validation_error',
    )
  })

  it.each(['', 'a\0b', 'x'.repeat(5_000)])('must be paths', async (path) => {
    expect((await refusal(storeOver('/tmp').read([entry({ path })], placeOf()))).code).toBe('validation_error')
  })
})

describe('the store', () => {
  it('keeps equal bytes once and gives them back by their hash', async () => {
    await using foundation = await openTestFoundation()
    const store = storeOver()
    const read = await store.read([ofBytes(png), ofBytes(png, { alt: 'Again', part: 1 })], placeOf())
    const notes = await foundation.store.transaction((db) => store.store(db, read))
    await foundation.store.transaction((db) => store.store(db, read))
    expect(notes.map(({ part, alt, bytes }) => [part, alt, bytes])).toEqual([
      [0, 'A cat', png.length],
      [1, 'Again', png.length],
    ])
    const rows = await foundation.store.db.selectFrom('media').select(['bytes', 'mime']).execute()
    expect(rows).toEqual([{ bytes: png.length, mime: 'image/png' }])
    const media = await store.load(foundation.store.db, notes)
    expect(media.map(({ bytes, alt }) => [Buffer.from(bytes), alt])).toEqual([
      [png, 'A cat'],
      [png, 'Again'],
    ])
  })

  it('fails for a file that is gone or was changed, so that nothing goes out without it', async () => {
    await using foundation = await openTestFoundation()
    const { db } = foundation.store
    const store = storeOver()
    const notes = await store.store(db, await store.read([ofBytes(png)], placeOf()))
    await db.updateTable('media').set({ data: 'AAAA' }).execute()
    expect((await refusal(store.load(db, notes))).code).toBe('media_upload_error')
    await db.deleteFrom('media').execute()
    expect((await refusal(store.load(db, notes))).code).toBe('media_upload_error')
    expect(await store.load(db, [])).toEqual([])
  })
})
