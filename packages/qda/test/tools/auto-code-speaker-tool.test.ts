import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addCodes, addTexts } from '../support/add-texts.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
})

afterEach(() => qda[Symbol.asyncDispose]())

const autoCode = (args: object, options = {}) => qda.call('auto_code_speaker', args, options)
const confirmed = (args: object = {}) => autoCode({ ...args, confirm: true }, { principal: 'agent:main' })

/** `source code: text` */
function codings(): string[] {
  return db
    .prepare(
      `SELECT fid || ' ' || name || ': ' || seltext FROM code_text JOIN code_name USING (cid)
       WHERE seltext = (SELECT substr(fulltext, pos0 + 1, pos1 - pos0) FROM source WHERE id = fid) ORDER BY fid, pos0`,
    )
    .pluck()
    .all() as string[]
}

/** `category/code`, by code. */
const codes = () =>
  db
    .prepare(
      "SELECT coalesce(c.name, '') || '/' || n.name FROM code_name AS n LEFT JOIN code_cat AS c USING (catid) ORDER BY cid",
    )
    .pluck()
    .all()

const interview = '😀\nP01: Hello.\nI am well.\nResearcher 1: Good.\nP01: Yes.\nResearcher 1: Thanks.\nNote: once only'

describe('auto_code_speaker, before it is confirmed', () => {
  it('shows who speaks, and writes nothing', async () => {
    addTexts(db, interview)
    addCodes(db, 'researcher  1')
    const answer = await autoCode({})
    const data = {
      preview: true,
      message: expect.stringContaining('confirm: true'),
      speakers: [
        { label: 'P01', turns: 2, chars: 21, code_id: null, sample: 'Hello.\nI am well.' },
        { label: 'Researcher 1', turns: 2, chars: 12, code_id: 1, sample: 'Good.' },
      ],
      total_segments: 4,
      labels_not_found: [],
      preview_token: expect.any(String),
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(codings()).toEqual([])
    expect(codes()).toEqual(['/researcher  1'])
  })
})

describe('auto_code_speaker, confirmed', () => {
  it('codes turns over all their lines, with a code for each speaker in a category of speakers', async () => {
    addTexts(db, interview, 'P01: Again.')
    const answer = await confirmed()
    const data = {
      codes_created: 2,
      segments_created: 5,
      skipped_existing: 0,
      batch_id: expect.any(String),
      change_set_id: answer['batch_id'],
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(codings()).toEqual([
      '1 P01: Hello.\nI am well.',
      '1 Researcher 1: Good.',
      '1 P01: Yes.',
      '1 Researcher 1: Thanks.',
      '2 P01: Again.',
    ])
    expect(codes()).toEqual(['Speakers/P01', 'Speakers/Researcher 1'])
    const owners = 'SELECT owner FROM code_text UNION SELECT owner FROM code_name UNION SELECT owner FROM code_cat'
    expect(db.prepare(owners).pluck().all()).toEqual(['AI Agent (main)'])
    const colors = db.prepare('SELECT color FROM code_name').pluck().all()
    expect(new Set(colors).size).toBe(2)
  })

  it('does the same once, and can be taken back as a whole', async () => {
    addTexts(db, interview)
    const { batch_id } = await confirmed()
    expect(await confirmed()).toMatchObject({
      codes_created: 0,
      segments_created: 0,
      skipped_existing: 4,
      batch_id: null,
    })
    await qda.call('undo_change_set', { change_set_id: batch_id }, { principal: 'agent:main' })
    expect(codings()).toEqual([])
    expect(codes()).toEqual([])
    expect(db.prepare('SELECT count(*) FROM code_cat').pluck().get()).toBe(0)
  })

  it('takes the category of that name that there is', async () => {
    addTexts(db, interview)
    db.exec("INSERT INTO code_cat (catid, name) VALUES (7, 'Who speaks')")
    await confirmed({ category: 'who  speaks' })
    expect(codes()).toEqual(['Who speaks/P01', 'Who speaks/Researcher 1'])
    expect(await autoCode({ category: 'x'.repeat(101) })).toMatchObject({
      error_code: 'CATEGORY_NOT_CREATED/INVALID_NAME',
    })
  })

  it('uses the codes it is given, and leaves out speakers that are null', async () => {
    addTexts(db, interview)
    addCodes(db, 'Person', 'Remark')
    const answer = await confirmed({ speakers: { p01: 1, NOTE: '2', 'Researcher 1': null, Nobody: 1 } })
    expect(answer).toMatchObject({ codes_created: 0, segments_created: 3 })
    expect(codings()).toEqual(['1 Person: Hello.\nI am well.', '1 Person: Yes.', '1 Remark: once only'])
    expect(await autoCode({ speakers: { Nobody: null } })).toMatchObject({ labels_not_found: ['Nobody'] })
    expect(await autoCode({ speakers: { P01: 9 } })).toMatchObject({ error_code: 'CODE_NOT_FOUND' })
  })

  it('leaves out who speaks rarely, as far as it is told', async () => {
    addTexts(db, 'A: 1\nB: 2\nA: 3\nA: 4')
    expect(await autoCode({ min_turns: 1 })).toMatchObject({ speakers: [{ label: 'A' }, { label: 'B' }] })
    expect(await autoCode({ min_turns: 4 })).toMatchObject({ speakers: [] })
    expect(await confirmed({ min_turns: 4 })).toMatchObject({ success: true, segments_created: 0, batch_id: null })
  })

  it('takes the label into the passage where it is told to', async () => {
    addTexts(db, '[Ann] Hello.\n[Ann] Bye.')
    await confirmed({ include_label: true })
    expect(codings()).toEqual(['1 Ann: [Ann] Hello.', '1 Ann: [Ann] Bye.'])
  })

  it('knows one way of marking speakers, or a pattern of the caller', async () => {
    addTexts(db, 'A: one\n@B: two\nA: three\n@B: four', '<<C>> five\n<<C>> six <<D>> seven')
    expect(await autoCode({ formats: ['at'] })).toMatchObject({ speakers: [{ label: 'B', turns: 2 }] })
    await confirmed({ pattern: '^<<(.+?)>>' })
    expect(codings()).toEqual(['2 C: five', '2 C: six <<D>> seven'])
    expect(await autoCode({ pattern: '(x)', formats: ['at'] })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
    expect(await autoCode({ pattern: 'no group' })).toMatchObject({ error_code: 'INVALID_PATTERN' })
    expect(await autoCode({ formats: ['bold'] })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
  })

  it('splits turns at timestamps', async () => {
    addTexts(db, 'Ann: Before\n[00:12] after\nAnn: end')
    expect(await autoCode({})).toMatchObject({ speakers: [{ label: 'Ann', turns: 2 }], total_segments: 3 })
    await confirmed()
    expect(codings()).toEqual(['1 Ann: Before', '1 Ann: after', '1 Ann: end'])
  })

  it('counts the pieces of a turn, however many there are', async () => {
    addTexts(db, `Ann: ${'[00:12] x\n'.repeat(150_000)}Ann: end`)
    expect(await autoCode({})).toMatchObject({ error_code: 'INVALID_ARGUMENT', details: { passages: 150_001 } })
  })

  it('codes the sources it is told', async () => {
    addTexts(db, 'A: 1\nA: 2', 'A: 3\nA: 4')
    await confirmed({ source_ids: [2] })
    expect(codings()).toEqual(['2 A: 3', '2 A: 4'])
    expect(await autoCode({ source_ids: [9] })).toMatchObject({ error_code: 'SOURCE_NOT_FOUND' })
  })

  it('refuses a preview after which somebody spoke differently', async () => {
    addTexts(db, 'A: 1\nA: 2')
    const { preview_token } = await autoCode({})
    db.exec("UPDATE source SET fulltext = 'A: 1\nA: 3'")
    expect(await autoCode({ confirm: true, preview_token })).toMatchObject({ error_code: 'PREVIEW_STALE' })
  })

  it('refuses more than one transaction should hold, and labels that no code can have', async () => {
    addTexts(db, 'A: 1\n'.repeat(10_001))
    expect(await autoCode({})).toMatchObject({ error_code: 'INVALID_ARGUMENT', details: { passages: 10_001 } })
    db.exec("UPDATE source SET fulltext = '{A\u0001} 1' || char(10) || '{A\u0001} 2'")
    expect(await autoCode({})).toMatchObject({ error_code: 'CODE_NOT_CREATED/INVALID_NAME' })
    expect(await autoCode({ speakers: { 'A\u0001': null } })).toMatchObject({ success: true, speakers: [] })
  })
})
