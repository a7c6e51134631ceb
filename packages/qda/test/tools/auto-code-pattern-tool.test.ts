import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addCodes, addCoding, addTexts } from '../support/add-texts.js'
import { openQdaForTest, type QdaForTest, type TestAnswer } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest({ config: { approval: 'human' } })
  db = qda.db(await qda.openProject())
  addCodes(db, 'Hope')
})

afterEach(() => qda[Symbol.asyncDispose]())

const autoCode = (args: object, options = {}) => qda.call('auto_code_pattern', { code_id: 1, ...args }, options)

/** `source:start-end text` */
function codings(): string[] {
  const rows = db.prepare('SELECT fid, pos0, pos1, seltext FROM code_text ORDER BY fid, pos0').all() as {
    fid: number
    pos0: number
    pos1: number
    seltext: string
  }[]
  return rows.map(({ fid, pos0, pos1, seltext }) => `${fid}:${pos0}-${pos1} ${seltext}`)
}

async function confirmed(args: object): Promise<string[]> {
  const answer = await autoCode({ ...args, confirm: true })
  if (answer['success'] !== true) throw new Error(answer['error'])
  return codings()
}

describe('auto_code_pattern, before it is confirmed', () => {
  it('shows what it would code, and writes nothing', async () => {
    addTexts(db, '😀 hope and Hope', 'none', 'hope')
    addCoding(db, [1, 3, 0, 4], 'AI Agent (main)')
    const answer = await autoCode({ pattern: 'hope' }, { principal: 'agent:main' })
    const data = {
      preview: true,
      message: expect.stringContaining('confirm: true'),
      code_id: 1,
      total_matches: 3,
      already_coded: 1,
      sources: [
        { source_id: 1, source_name: 'text 1', matches: 2 },
        { source_id: 3, source_name: 'text 3', matches: 1 },
      ],
      matches: [
        {
          index: 0,
          source_id: 1,
          start_position: 2,
          end_position: 6,
          text: 'hope',
          context_before: '😀 ',
          context_after: ' and Hope',
        },
        {
          index: 1,
          source_id: 1,
          start_position: 11,
          end_position: 15,
          text: 'Hope',
          context_before: '😀 hope and ',
          context_after: '',
        },
        {
          index: 2,
          source_id: 3,
          start_position: 0,
          end_position: 4,
          text: 'hope',
          context_before: '',
          context_after: '',
        },
      ],
      next_cursor: null,
      preview_token: expect.any(String),
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(codings()).toEqual(['3:0-4 hope'])
  })

  it('shows 100 matches of a page', async () => {
    addTexts(db, 'x '.repeat(150), 'x '.repeat(101))
    const pages: TestAnswer[] = [await autoCode({ pattern: 'x' })]
    while (typeof pages.at(-1)!['next_cursor'] === 'string')
      pages.push(await autoCode({ pattern: 'x', cursor: pages.at(-1)!['next_cursor'] }))
    expect(pages.map(({ matches }) => matches.length)).toEqual([100, 100, 51])
    const indexes = pages.flatMap(({ matches }) => matches.map(({ index }: TestAnswer) => index))
    expect(indexes).toEqual(Array.from({ length: 251 }, (_, index) => index))
    expect(pages[2]).toMatchObject({
      total_matches: 251,
      matches: expect.arrayContaining([expect.objectContaining({ source_id: 2 })]),
    })
  })
})

describe('auto_code_pattern, confirmed', () => {
  it('codes every match with its exact text, in one batch that can be taken back', async () => {
    addTexts(db, '😀 hope and Hope', 'hopes')
    const answer = await autoCode({ pattern: 'hope', confirm: true }, { principal: 'agent:main' })
    const data = {
      code_id: 1,
      total_matches: 3,
      batch_id: expect.any(String),
      coded: 3,
      skipped_existing: 0,
      excluded: 0,
      change_set_id: answer['batch_id'],
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(codings()).toEqual(['1:2-6 hope', '1:11-15 Hope', '2:0-4 hope'])
    expect(db.prepare('SELECT DISTINCT owner FROM code_text').pluck().all()).toEqual(['AI Agent (main)'])
    expect(await qda.call('undo_change_set', { change_set_id: answer['batch_id'] })).toMatchObject({ success: true })
    expect(codings()).toEqual([])
  })

  it('codes the same once, however often it is asked', async () => {
    addTexts(db, 'hope hope')
    expect(await autoCode({ pattern: 'hope', confirm: true })).toMatchObject({ coded: 2, skipped_existing: 0 })
    expect(await autoCode({ pattern: 'hope', confirm: true })).toMatchObject({
      coded: 0,
      skipped_existing: 2,
      batch_id: null,
      change_set_id: null,
    })
    expect(codings()).toEqual(['1:0-4 hope', '1:5-9 hope'])
  })

  it('codes what another coder has coded, too', async () => {
    addTexts(db, 'hope')
    addCoding(db, [1, 1, 0, 4], 'ada')
    expect(await autoCode({ pattern: 'hope', confirm: true })).toMatchObject({ coded: 1, skipped_existing: 0 })
  })

  it('leaves out what is excluded, by the numbers of the preview', async () => {
    addTexts(db, 'a1 a2', 'a3 a4')
    const { preview_token } = await autoCode({ pattern: 'a' })
    const answer = await autoCode({ pattern: 'a', exclude: [1, 2, 2], confirm: true, preview_token })
    expect(answer).toMatchObject({ success: true, coded: 2, excluded: 2 })
    expect(codings()).toEqual(['1:0-1 a', '2:3-4 a'])
    expect(await autoCode({ pattern: 'a', exclude: [4], confirm: true })).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
      details: { path: 'exclude', total_matches: 4 },
    })
  })

  it('refuses a preview that is not what would be coded any more', async () => {
    addTexts(db, 'hope')
    const { preview_token } = await autoCode({ pattern: 'hope' })
    db.exec("UPDATE source SET fulltext = 'no hope'")
    expect(await autoCode({ pattern: 'hope', confirm: true, preview_token })).toMatchObject({
      error_code: 'PREVIEW_STALE',
    })
    const { preview_token: other } = await autoCode({ pattern: 'hope' })
    expect(await autoCode({ pattern: 'no', confirm: true, preview_token: other })).toMatchObject({
      error_code: 'PREVIEW_STALE',
    })
    expect(codings()).toEqual([])
  })

  it('succeeds where there is nothing to code', async () => {
    addTexts(db, 'hope')
    expect(await autoCode({ pattern: 'fear', confirm: true })).toMatchObject({
      success: true,
      total_matches: 0,
      coded: 0,
      batch_id: null,
    })
  })

  it('codes all matches of each source, its first, or its last', async () => {
    addTexts(db, 'a a a', 'a a')
    expect(await confirmed({ pattern: 'a', scope: 'first' })).toEqual(['1:0-1 a', '2:0-1 a'])
    expect(await confirmed({ pattern: 'a', scope: 'last' })).toEqual(['1:0-1 a', '1:4-5 a', '2:0-1 a', '2:2-3 a'])
  })

  it('codes what is around a match, once where two matches are in it', async () => {
    addTexts(db, 'One. My hope, your hope. Two.\nLine.\n\nParagraph.')
    expect(await confirmed({ pattern: 'hope', extend: 'sentence' })).toEqual(['1:5-24 My hope, your hope.'])
    db.exec('DELETE FROM code_text')
    expect(await confirmed({ pattern: 'hope', extend: 'line' })).toEqual(['1:0-29 One. My hope, your hope. Two.'])
    db.exec('DELETE FROM code_text')
    expect(await confirmed({ pattern: 'hope', extend: 'paragraph' })).toEqual([
      '1:0-35 One. My hope, your hope. Two.\nLine.',
    ])
  })

  it('makes one passage of sentences that overlap', async () => {
    addTexts(db, 'One two. Two three. Three four.')
    expect(await confirmed({ pattern: 'two. Two|three. Three', match: 'regex', extend: 'sentence' })).toEqual([
      '1:0-31 One two. Two three. Three four.',
    ])
  })

  it('matches without regard to case only where letters are alike, and keeps positions', async () => {
    addTexts(db, 'İstanbul straße STRASSE Straße')
    expect(await confirmed({ pattern: 'straße' })).toEqual(['1:9-15 straße', '1:24-30 Straße'])
    expect(await confirmed({ pattern: 'S', case_sensitive: true, source_ids: [1] })).toHaveLength(6)
  })

  it('finds nothing where an expression matches nothing at all', async () => {
    addTexts(db, 'abc')
    expect(await confirmed({ pattern: 'x*', match: 'regex' })).toEqual([])
  })

  it('tries out without writing', async () => {
    addTexts(db, 'hope')
    expect(await autoCode({ pattern: 'hope', dry_run: true })).toMatchObject({
      dry_run: true,
      coded: 1,
      batch_id: null,
      change_set_id: null,
    })
    expect(codings()).toEqual([])
  })

  it('refuses more than one transaction should hold, with how many there are', async () => {
    addTexts(db, 'x '.repeat(6_000), 'x '.repeat(6_000), 'x '.repeat(6_000))
    expect(await autoCode({ pattern: 'x' })).toMatchObject({
      success: false,
      error_code: 'INVALID_ARGUMENT',
      details: { passages: 18_000, limit: 10_000 },
    })
    expect(await autoCode({ pattern: 'x', source_ids: [2] })).toMatchObject({ total_matches: 6_000 })
  })

  it('knows its code and its sources', async () => {
    addTexts(db, 'hope')
    expect(await autoCode({ code_id: 9, pattern: 'hope' })).toMatchObject({ error_code: 'CODE_NOT_FOUND' })
    expect(await autoCode({ pattern: 'hope', source_ids: [9] })).toMatchObject({ error_code: 'SOURCE_NOT_FOUND' })
    expect(await autoCode({ pattern: '[', match: 'regex' })).toMatchObject({ error_code: 'INVALID_PATTERN' })
  })
})

describe('auto_code_pattern beside other writers', () => {
  /** Something that happens between the search and the transaction. */
  async function meanwhile(change: string): Promise<TestAnswer> {
    addTexts(db, 'hope')
    // Holds the turn that the call then waits for.
    db.exec('BEGIN IMMEDIATE')
    const call = autoCode({ pattern: 'hope', confirm: true })
    while (qda.clock.nextWake === undefined || qda.clock.nextWake > qda.clock.now() + 1_000) await turn()
    db.exec(`${change}; COMMIT`)
    qda.clock.advance(1_000)
    return call
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('codes nothing where the text has changed', async () => {
    expect(await meanwhile("UPDATE source SET fulltext = 'a hope'")).toMatchObject({ error_code: 'TEXT_CHANGED' })
    expect(codings()).toEqual([])
  })

  it('codes nothing where the code or the source is gone', async () => {
    expect(await meanwhile('DELETE FROM code_name')).toMatchObject({ error_code: 'CODE_NOT_FOUND' })
    expect(codings()).toEqual([])
  })
})

it('auto_code_pattern waits for a person where it is told to, who then decides on what was found', async () => {
  await using strict = await openQdaForTest({ config: { levels: { auto_code_pattern: 'T4' } } })
  const own = strict.db(await strict.openProject())
  addCodes(own, 'Hope')
  addTexts(own, 'hope')
  const asked = await strict.call('auto_code_pattern', { code_id: 1, pattern: 'hope', confirm: true })
  expect(asked).toMatchObject({ status: 'pending_approval', requires_approval: true })
  const operator = { principal: 'operator:eve', roles: ['operator'] as const }
  const approved = await strict.call('approve_suggestion', { id: asked['suggestion_id'] }, operator)
  expect(approved).toMatchObject({ data: { status: 'approved', result: { coded: 1 } } })
  const { batch_id, change_set_id } = approved['data'].result
  expect(batch_id).toBe(change_set_id)
  expect(own.prepare('SELECT count(*) FROM code_text').pluck().get()).toBe(1)
})
