import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string

beforeEach(async () => {
  qda = await openQdaForTest()
  path = await qda.openProject()
})

afterEach(() => qda[Symbol.asyncDispose]())

const sources = async (args: object = {}) => (await qda.call('list_sources', args))['data']

describe('list_sources', () => {
  it('is empty in a new project', async () => {
    expect(await qda.call('list_sources')).toEqual({ success: true, data: { count: 0, sources: [] } })
  })

  it('needs a project', async () => {
    expect(await qda.call('list_sources', {}, { session: 'other' })).toMatchObject({
      success: false,
      error_code: 'NO_PROJECT',
      error: 'No project open',
    })
  })

  it('tells all of a text, its length in code points and its size in bytes', async () => {
    const db = qda.db(path)
    db.exec(`INSERT INTO source (id, name, fulltext, memo, date) VALUES (1, 'a', 'Grüße 👋', 'seen ##### secret', 'd');
      INSERT INTO coder_names (name, visibility) VALUES ('ada', 1), ('bo', 0);
      INSERT INTO code_text (cid, fid, pos0, pos1, owner) VALUES (1, 1, 0, 1, 'ada'), (1, 1, 1, 2, 'bo');
      INSERT INTO code_image (id, cid, owner) VALUES (1, 1, NULL); INSERT INTO code_av (id, cid, owner) VALUES (1, 1, 'ada')`)
    expect(await sources()).toEqual({
      count: 1,
      sources: [
        {
          ...{ id: 1, name: 'a', type: 'text', status: 'imported', memo: 'seen', origin: null, folder_id: null },
          ...{ file_size: 12, total_length: 7, code_count: 3, transcript_source_id: null },
        },
      ],
    })
  })

  it('tells the type by where the file is, and the size of files in the project alone', async () => {
    for (const file of ['audio/a.mp3', 'documents/p.PDF', 'images/i.png']) writeFileSync(join(path, file), 'four')
    writeFileSync(join(qda.folder, 'far.mp4'), 'far away')
    symlinkSync(join(qda.folder, 'far.mp4'), join(path, 'video', 'link.mp4'))
    const insert = qda
      .db(path)
      .prepare('INSERT INTO source (name, mediapath, fulltext, av_text_id) VALUES (?, ?, ?, ?)')
    for (const [name, mediapath] of [
      ['1 audio', '/audio/a.mp3'],
      ['2 pdf', '/docs/p.PDF'],
      ['3 image', '/images/i.png'],
      ['4 linked', `video:${join(qda.folder, 'far.mp4')}`],
      ['5 missing', '/video/none.mp4'],
      ['6 link', '/video/link.mp4'],
      ['7 text', '/docs/t.docx'],
      ['8 text', 'docs:/home/me/t.txt'],
      ['9 text', ''],
    ])
      insert.run(name, mediapath, 'text', name === '1 audio' ? 7 : null)
    const { sources: found } = await sources()
    expect(found.map((each: { [key: string]: unknown }) => [each['name'], each['type'], each['file_size']])).toEqual([
      ['1 audio', 'audio', 4],
      ['2 pdf', 'pdf', 4],
      ['3 image', 'image', 4],
      ['4 linked', 'video', null],
      ['5 missing', 'video', null],
      ['6 link', 'video', null],
      ['7 text', 'text', 4],
      ['8 text', 'text', 4],
      ['9 text', 'text', 4],
    ])
    expect(found[0]).toMatchObject({ transcript_source_id: 7 })
    expect(await sources({ source_type: 'video' })).toMatchObject({ count: 3 })
    expect(await sources({ source_type: 'text' })).toMatchObject({ count: 3 })
  })

  it('is ordered by name, then by id', async () => {
    const insert = qda.db(path).prepare('INSERT INTO source (name) VALUES (?)')
    for (const name of ['b', 'B', null, 'a', null]) insert.run(name)
    const { sources: found } = await sources()
    expect(found.map(({ id }: { id: number }) => id)).toEqual([3, 5, 2, 4, 1])
  })

  it('refuses a type that there is not', async () => {
    expect(await qda.call('list_sources', { source_type: 'vidio' })).toMatchObject({
      success: false,
      error_code: 'INVALID_ARGUMENT',
      details: { path: 'source_type' },
    })
  })
})
