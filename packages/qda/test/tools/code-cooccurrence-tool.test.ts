import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addCodes, addCoding, addTexts } from '../support/add-texts.js'
import { openQdaForTest, type QdaForTest, type TestAnswer } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
  addTexts(db, '0123456789', 'abcdefghij')
  addCodes(db, 'Hope', 'Fear', 'Work')
})

afterEach(() => qda[Symbol.asyncDispose]())

/** `a-b: count` */
async function pairs(args: object = {}): Promise<string[]> {
  const { data } = await qda.call('code_cooccurrence', args)
  return data.pairs.map((pair: TestAnswer) => `${pair['code_a_id']}-${pair['code_b_id']}: ${pair['count']}`)
}

const failure = async (args: object) => qda.call('code_cooccurrence', args)

describe('code_cooccurrence', () => {
  it('counts the pairs of codings that share a character', async () => {
    addCoding(db, [1, 1, 0, 5])
    addCoding(db, [2, 1, 3, 7])
    addCoding(db, [3, 1, 7, 9])
    expect(await qda.call('code_cooccurrence')).toEqual({
      success: true,
      data: {
        mode: 'overlap',
        pairs: [
          {
            code_a_id: 1,
            code_a_name: 'Hope',
            code_b_id: 2,
            code_b_name: 'Fear',
            count: 1,
            shared_characters: 2,
            jaccard: 2 / 7,
          },
        ],
        total_pairs: 1,
        codings: 3,
        broken_codings: 0,
      },
    })
  })

  it('counts what is near, on the same passage, or in the same source', async () => {
    addCoding(db, [1, 1, 0, 2])
    addCoding(db, [2, 1, 4, 6])
    addCoding(db, [1, 2, 0, 3])
    addCoding(db, [3, 2, 0, 3])
    expect(await pairs({ mode: 'near', distance: 1 })).toEqual(['1-3: 1'])
    expect(await pairs({ mode: 'near', distance: 2 })).toEqual(['1-3: 1', '1-2: 1'])
    expect(await pairs({ mode: 'same_span' })).toEqual(['1-3: 1'])
    expect(await pairs({ mode: 'source' })).toEqual(['1-3: 1', '1-2: 1'])
  })

  it('leaves out rare pairs and those beyond the top, and counts these', async () => {
    for (const place of [0, 3, 6]) {
      addCoding(db, [1, 1, place, place + 2])
      addCoding(db, [2, 1, place, place + 2])
    }
    addCoding(db, [3, 1, 0, 2])
    expect(await pairs({ min_count: 2 })).toEqual(['1-2: 3'])
    expect(await pairs({ top: 1 })).toEqual(['1-2: 3'])
    expect((await qda.call('code_cooccurrence', { top: 1 }))['data']).toMatchObject({ total_pairs: 3 })
  })

  it('takes positions where the text is found, and what has none into account for sources alone', async () => {
    db.exec("UPDATE source SET fulltext = '😀😀23456789' WHERE id = 1")
    // Counted in UTF-16 units, as the original does: 23 is at 2, and not at 4.
    addCoding(db, [1, 1, 4, 6], 'ada', '23')
    addCoding(db, [2, 1, 2, 4])
    addCoding(db, [3, 1, 2, 4], 'ada', 'gone')
    expect(await pairs()).toEqual(['1-2: 1'])
    expect(await pairs({ mode: 'source' })).toEqual(['1-2: 1', '1-3: 1', '2-3: 1'])
    expect((await qda.call('code_cooccurrence'))['data']).toMatchObject({ codings: 3, broken_codings: 1 })
  })

  it('compares some codes in some sources', async () => {
    for (const source of [1, 2]) for (const code of [1, 2, 3]) addCoding(db, [code, source, 0, 2])
    expect(await pairs({ code_ids: [1, 3], source_ids: [2] })).toEqual(['1-3: 1'])
    expect(await failure({ code_ids: [1, 9] })).toMatchObject({ error_code: 'CODE_NOT_FOUND' })
    expect(await failure({ source_ids: [9] })).toMatchObject({ error_code: 'SOURCE_NOT_FOUND' })
  })

  it('does not count codings of hidden coders, nor of codes and sources that are gone', async () => {
    db.exec("INSERT INTO coder_names (name, visibility) VALUES ('bo', 0)")
    addCoding(db, [1, 1, 0, 2])
    addCoding(db, [2, 1, 0, 2], 'bo')
    addCoding(db, [77, 1, 0, 2])
    addCoding(db, [1, 88, 0, 2], 'ada', 'x')
    addCoding(db, [2, 88, 0, 2], 'ada', 'x')
    expect(await pairs()).toEqual([])
    expect(await pairs({ mode: 'source' })).toEqual([])
  })

  it('reads all codings, however many pages they are', async () => {
    const insert = db.prepare('INSERT INTO code_text (cid, fid, pos0, pos1, owner) VALUES (?, 1, ?, ?, ?)')
    db.transaction(() => {
      for (let index = 0; index < 6_000; index += 1)
        for (const code of [1, 2]) insert.run(code, index % 9, 10, `coder ${index}`)
    })()
    expect((await qda.call('code_cooccurrence'))['data']).toMatchObject({ codings: 12_000, total_pairs: 1 })
  })

  it('needs a distance for what is near, and for nothing else', async () => {
    expect(await failure({ mode: 'near' })).toMatchObject({
      error_code: 'MISSING_PARAMETER',
      error: 'Missing required parameter: distance',
    })
    expect(await failure({ mode: 'overlap', distance: 3 })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
  })
})
