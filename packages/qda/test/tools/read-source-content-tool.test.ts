import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textHash } from '../../src/text/text-hash.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest

/** Twelve code points; the flag and the hand are two each. */
const text = 'a🇮🇹b👋🏽c\r\n\u2029de'
const points = [...text]
const long = '👋'.repeat(250_000)

beforeAll(async () => {
  qda = await openQdaForTest()
  const insert = qda
    .db(await qda.openProject())
    .prepare('INSERT INTO source (id, name, fulltext, mediapath) VALUES (?, ?, ?, ?)')
  insert.run(1, 'short', text, null)
  insert.run(2, 'long', long, null)
  insert.run(3, 'talk', null, '/audio/talk.mp3')
})

afterAll(() => qda[Symbol.asyncDispose]())

const read = (args: object) => qda.call('read_source_content', args)

describe('read_source_content', () => {
  it('reads a whole text as it is stored', async () => {
    expect(await read({ source_id: '1' })).toEqual({
      success: true,
      data: {
        source_id: 1,
        source_name: 'short',
        content: text,
        start_pos: 0,
        end_pos: points.length,
        total_length: points.length,
        has_more: false,
        text_hash: textHash(text),
      },
    })
  })

  it('counts code points, and may cut between two that are one sign to people', async () => {
    const { data } = await read({ source_id: 1, start_pos: 2, end_pos: 5 })
    expect(data).toMatchObject({ content: points.slice(2, 5).join(''), start_pos: 2, end_pos: 5, has_more: true })
  })

  it('reads page by page, each from the end of the one before', async () => {
    let content = ''
    let start_pos = 0
    for (let has_more = true; has_more; ) {
      const { data } = await read({ source_id: 1, start_pos, max_length: 5 })
      content += data.content
      start_pos = data.end_pos
      has_more = data.has_more
    }
    expect(content).toBe(text)
  })

  it.each([
    [undefined, 50_000],
    [null, 50_000],
    [0, 50_000],
    [200_000, 200_000],
  ])('reads for max_length %j at most %i', async (max_length, length) => {
    const { data } = await read({ source_id: 2, max_length })
    expect([...data.content]).toHaveLength(length)
    expect(data).toMatchObject({ end_pos: length, total_length: 250_000, has_more: true })
  })

  it('takes the nearer of end_pos and max_length, and no end beyond the text', async () => {
    expect((await read({ source_id: 1, start_pos: 1, end_pos: 9, max_length: 3 }))['data']).toMatchObject({
      end_pos: 4,
    })
    expect((await read({ source_id: 1, end_pos: 999 }))['data']).toMatchObject({
      end_pos: points.length,
      has_more: false,
    })
  })

  it('takes both spellings of positions', async () => {
    expect((await read({ source_id: 1, start_position: 1, end_position: 3 }))['data']).toMatchObject({
      start_pos: 1,
      end_pos: 3,
    })
    expect(await read({ source_id: 1, start_pos: 1, start_position: 2 })).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
    })
  })

  it('is empty at the end of a text, and for media without one', async () => {
    expect((await read({ source_id: 1, start_pos: points.length }))['data']).toMatchObject({
      content: '',
      has_more: false,
    })
    expect((await read({ source_id: 3 }))['data']).toMatchObject({ content: '', total_length: 0, has_more: false })
  })

  it.each([
    ['before the text', { start_pos: -1 }],
    ['behind the text', { start_pos: points.length + 1 }],
    ['with its end before its start', { start_pos: 3, end_pos: 2 }],
    ['with a negative end', { end_pos: -1 }],
  ])('refuses a page %s', async (_, args) => {
    expect(await read({ source_id: 1, ...args })).toMatchObject({
      success: false,
      error_code: 'INVALID_POSITION',
      details: { total_length: points.length },
    })
  })

  it.each([[{ max_length: 200_001 }], [{ max_length: -1 }], [{ start_pos: 1.5 }], [{ start: 1 }]])(
    'refuses %j',
    async (args) => {
      expect(await read({ source_id: 1, ...args })).toMatchObject({ success: false, error_code: 'INVALID_ARGUMENT' })
    },
  )

  it('knows no other source', async () => {
    expect(await read({ source_id: 9 })).toMatchObject({ error_code: 'SOURCE_NOT_FOUND', error: 'Source 9 not found' })
    expect(await read({})).toMatchObject({ error: 'Missing required parameter: source_id' })
  })

  it('sees what another program has written since', async () => {
    await read({ source_id: 3 })
    const path = `${qda.folder}/Study.qda`
    qda.db(path).exec("UPDATE source SET fulltext = 'now' WHERE id = 3")
    expect((await read({ source_id: 3 }))['data']).toMatchObject({ content: 'now', total_length: 3 })
  })
})
