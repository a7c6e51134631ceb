import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addCodes, addCoding, addTexts } from '../support/add-texts.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
  addTexts(db, '0123456789', 'abcdefghij')
  addCodes(db, 'Hope', 'Fear', 'Work')
})

afterEach(() => qda[Symbol.asyncDispose]())

const compare = (args: object, options = {}) => qda.call('coder_agreement', args, options)
const both = { coder_a: 'ada', coder_b: 'bo' }

describe('coder_agreement', () => {
  it('compares two coders character by character', async () => {
    addCoding(db, [1, 1, 0, 5], 'ada')
    addCoding(db, [1, 1, 1, 5], 'bo')
    const figures = {
      characters: 10,
      coded_by_all: 4,
      coded_by_some: 1,
      coded_by_none: 5,
      coded_by: { ada: 5, bo: 4 },
      observed_agreement: 0.9,
      cohens_kappa: expect.closeTo(0.8, 12),
      krippendorffs_alpha: expect.closeTo(80 / 99, 12),
    }
    expect(await compare(both)).toEqual({
      success: true,
      data: {
        coders: ['ada', 'bo'],
        source_ids: [1],
        codes: [{ code_id: 1, code_name: 'Hope', ...figures }],
        pooled: figures,
        broken_codings: 0,
      },
    })
  })

  it('compares the sources that all of them coded, unless told which', async () => {
    addCoding(db, [1, 1, 0, 5], 'ada')
    addCoding(db, [2, 1, 0, 5], 'bo')
    addCoding(db, [1, 2, 0, 5], 'ada')
    const byDefault = await compare(both)
    expect(byDefault['data']).toMatchObject({ source_ids: [1], pooled: { characters: 20 } })
    expect((await compare({ ...both, source_ids: [2] }))['data']).toMatchObject({
      source_ids: [2],
      codes: [{ code_id: 1, coded_by: { ada: 5, bo: 0 } }],
    })
  })

  it('compares the codes that they used, or those that it is told', async () => {
    addCoding(db, [1, 1, 0, 5], 'ada')
    addCoding(db, [2, 1, 0, 5], 'bo')
    expect((await compare(both))['data'].codes).toMatchObject([{ code_id: 2 }, { code_id: 1 }])
    const { codes } = (await compare({ ...both, code_ids: [3] }))['data']
    expect(codes).toMatchObject([
      {
        code_id: 3,
        observed_agreement: 1,
        cohens_kappa: null,
        cohens_kappa_reason: 'no_variation',
        krippendorffs_alpha: null,
        krippendorffs_alpha_reason: 'no_variation',
      },
    ])
  })

  it('compares more than two, who have an alpha alone', async () => {
    for (const coder of ['ada', 'bo', 'cy']) addCoding(db, [1, 1, 0, 5], coder)
    expect((await compare({ coders: ['ada', 'bo', 'cy'] }))['data'].pooled).toMatchObject({
      cohens_kappa: null,
      cohens_kappa_reason: 'not_two_coders',
      krippendorffs_alpha: 1,
    })
  })

  it('takes codings where their text is found, and leaves out those without a place', async () => {
    db.exec("UPDATE source SET fulltext = '😀😀23456789' WHERE id = 1")
    addCoding(db, [1, 1, 4, 6], 'ada', '23')
    addCoding(db, [1, 1, 2, 4], 'bo')
    addCoding(db, [1, 1, 6, 8], 'bo', 'gone')
    expect((await compare(both))['data']).toMatchObject({ broken_codings: 1, pooled: { observed_agreement: 1 } })
  })

  it('has nothing to compare where no source was coded by both', async () => {
    addCoding(db, [1, 1, 0, 5], 'ada')
    addCoding(db, [1, 2, 0, 5], 'bo')
    expect((await compare(both))['data']).toMatchObject({
      source_ids: [],
      codes: [],
      pooled: { characters: 0, observed_agreement: null, cohens_kappa: null, cohens_kappa_reason: 'no_text' },
    })
  })

  it('shows hidden coders to operators only', async () => {
    db.exec("INSERT INTO coder_names (name, visibility) VALUES ('bo', 0), ('cy', 1)")
    addCoding(db, [1, 1, 0, 5], 'ada')
    addCoding(db, [1, 1, 0, 5], 'bo')
    expect(await compare(both)).toMatchObject({ success: false, error_code: 'PERMISSION_DENIED' })
    const operator = { principal: 'operator:eve', roles: ['operator'] }
    expect(await compare(both, operator)).toMatchObject({ success: true, data: { source_ids: [1] } })
    expect(await compare({ coder_a: 'ada', coder_b: 'dan' })).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
      error: "There is no coder 'dan' here; there are: ada, cy",
      details: { coders: ['ada', 'cy'] },
    })
  })

  it('needs two different coders, in one way or the other', async () => {
    expect(await compare({ coder_a: 'ada' })).toMatchObject({
      error_code: 'MISSING_PARAMETER',
      error: 'Missing required parameter: coder_b',
    })
    expect(await compare({ coder_a: 'ada', coder_b: 'ada' })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
    expect(await compare({ coders: ['ada', 'ada'] })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
    expect(await compare({ coders: ['ada', 'bo'], coder_a: 'ada' })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
  })

  it('knows the codes and sources it is asked about', async () => {
    addCoding(db, [1, 1, 0, 5], 'ada')
    addCoding(db, [1, 1, 0, 5], 'bo')
    expect(await compare({ ...both, code_ids: [9] })).toMatchObject({ error_code: 'CODE_NOT_FOUND' })
    expect(await compare({ ...both, source_ids: [9] })).toMatchObject({ error_code: 'SOURCE_NOT_FOUND' })
  })
})
