import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addTexts } from '../support/add-texts.js'
import { openQdaForTest, type QdaForTest, type TestAnswer } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
})

afterEach(() => qda[Symbol.asyncDispose]())

async function search(args: object): Promise<TestAnswer> {
  const { success, error, data } = await qda.call('search_text', args)
  if (success !== true) throw new Error(error)
  return data
}

/** `source:start-end text` */
async function hits(args: object): Promise<string[]> {
  const found = await search(args)
  return found['hits'].map(
    (hit: TestAnswer) => `${hit['source_id']}:${hit['start_position']}-${hit['end_position']} ${hit['text']}`,
  )
}

const failure = async (args: object) => (await qda.call('search_text', args))['error_code']

describe('search_text', () => {
  it('gives every hit with its place, its line and what stands around it', async () => {
    addTexts(db, '😀 One.\nThe garden is large.\n', 'No match', 'garden')
    expect(await qda.call('search_text', { pattern: 'GARDEN', context_length: 4 })).toEqual({
      success: true,
      data: {
        total_count: 2,
        is_complete: true,
        source_count: 2,
        searched_count: 3,
        hits: [
          {
            source_id: 1,
            source_name: 'text 1',
            start_position: 11,
            end_position: 17,
            text: 'garden',
            line_number: 2,
            context_before: 'The ',
            context_after: ' is ',
          },
          {
            source_id: 3,
            source_name: 'text 3',
            start_position: 0,
            end_position: 6,
            text: 'garden',
            line_number: 1,
            context_before: '',
            context_after: '',
          },
        ],
        next_cursor: null,
      },
    })
  })

  it('finds what is literally there, whole words, or what an expression means', async () => {
    addTexts(db, 'a.c abc Abc abcd')
    expect(await hits({ pattern: 'a.c' })).toEqual(['1:0-3 a.c'])
    expect(await hits({ pattern: 'abc', match: 'word' })).toEqual(['1:4-7 abc', '1:8-11 Abc'])
    expect(await hits({ pattern: 'a.c', match: 'regex', case_sensitive: true })).toEqual([
      '1:0-3 a.c',
      '1:4-7 abc',
      '1:12-15 abc',
    ])
  })

  it('gives page after page, and counts all hits on each', async () => {
    addTexts(db, 'x x x', 'x', 'x x')
    const first = await search({ pattern: 'x', limit: 2 })
    const second = await search({ pattern: 'x', limit: 2, cursor: first['next_cursor'] })
    const third = await search({ pattern: 'x', limit: 2, cursor: second['next_cursor'] })
    const places = [first, second, third].map((page) =>
      page['hits'].map((hit: TestAnswer) => [hit['source_id'], hit['start_position']]),
    )
    expect(places).toEqual([
      [
        [1, 0],
        [1, 2],
      ],
      [
        [1, 4],
        [2, 0],
      ],
      [
        [3, 0],
        [3, 2],
      ],
    ])
    expect([first, second, third].map((page) => page['total_count'])).toEqual([6, 6, 6])
    expect(third['next_cursor']).toBeNull()
    expect(await failure({ pattern: 'x', cursor: 'nonsense' })).toBe('INVALID_ARGUMENT')
  })

  it('says that it did not count all where there are too many', async () => {
    addTexts(db, 'x'.repeat(200_001))
    const { total_count, is_complete } = (await search({ pattern: 'x', limit: 1 })) as never
    expect({ total_count, is_complete }).toEqual({ total_count: 200_000, is_complete: false })
  })

  it('shows only the beginning of a hit that is a whole text', async () => {
    addTexts(db, '😀'.repeat(2_000))
    const [hit] = (await search({ pattern: '.+', match: 'regex' }))['hits']
    expect(hit).toMatchObject({ start_position: 0, end_position: 2_000, text: '😀'.repeat(500) })
  })

  it('searches some sources only', async () => {
    addTexts(db, 'x', 'x', 'x')
    expect(await hits({ pattern: 'x', source_ids: ['3', 1, 1] })).toEqual(['1:0-1 x', '3:0-1 x'])
    expect(await failure({ pattern: 'x', source_ids: [1, 9] })).toBe('SOURCE_NOT_FOUND')
  })

  it('searches a folder with those in it, or what is in none', async () => {
    addTexts(db, 'x', 'x', 'x')
    const { folder_id: outer } = await qda.call('create_folder', { name: 'Outer' })
    const { folder_id: inner } = await qda.call('create_folder', { name: 'Inner', parent_id: outer })
    await qda.call('move_source_to_folder', { source_id: 1, folder_id: outer })
    await qda.call('move_source_to_folder', { source_id: 2, folder_id: inner })
    expect(await hits({ pattern: 'x', folder_id: outer })).toEqual(['1:0-1 x', '2:0-1 x'])
    expect(await hits({ pattern: 'x', folder_id: inner })).toEqual(['2:0-1 x'])
    expect(await hits({ pattern: 'x', folder_id: 0 })).toEqual(['3:0-1 x'])
    expect(await failure({ pattern: 'x', folder_id: 99 })).toBe('FOLDER_NOT_FOUND')
  })

  it('searches what belongs to a case, which may be a part of a source', async () => {
    addTexts(db, 'x x x x', 'x', 'x')
    db.exec(`INSERT INTO cases (caseid, name) VALUES (1, 'Ada');
      INSERT INTO case_text (caseid, fid, pos0, pos1) VALUES (1, 1, 2, 3), (1, 1, 6, 7), (1, 2, 0, 1)`)
    expect(await hits({ pattern: 'x', case_id: 1 })).toEqual(['1:2-3 x', '1:6-7 x', '2:0-1 x'])
    expect(await search({ pattern: 'x', case_id: 1, limit: 1 })).toMatchObject({ total_count: 3, source_count: 2 })
    expect(await failure({ pattern: 'x', case_id: 2 })).toBe('CASE_NOT_FOUND')
  })

  it('takes parts of a case that touch or overlap for one', async () => {
    addTexts(db, 'abc abc abc abc')
    db.exec(`INSERT INTO cases (caseid, name) VALUES (1, 'Ada');
      INSERT INTO case_text (caseid, fid, pos0, pos1) VALUES (1, 1, 9, 15), (1, 1, 0, 2), (1, 1, 2, 6), (1, 1, 1, 4)`)
    expect(await hits({ pattern: 'abc', case_id: 1 })).toEqual(['1:0-3 abc', '1:12-15 abc'])
  })

  it('refuses what is no pattern', async () => {
    expect(await failure({ pattern: '(', match: 'regex' })).toBe('INVALID_PATTERN')
    expect(await failure({ pattern: 'x'.repeat(10_001) })).toBe('INVALID_PATTERN')
    expect(await failure({ pattern: '' })).toBe('MISSING_PARAMETER')
  })

  it('passes over sources without a text', async () => {
    addTexts(db, 'x')
    db.exec("INSERT INTO source (name, fulltext, mediapath) VALUES ('talk.mp3', NULL, '/audio/talk.mp3')")
    expect(await hits({ pattern: 'x' })).toEqual(['1:0-1 x'])
  })
})

it('search_text gives up an endless regex in time, and the worker still answers', async () => {
  await using hasty = await openQdaForTest({ config: { regex_timeout_ms: 100 } })
  addTexts(hasty.db(await hasty.openProject()), 'a'.repeat(50_000))
  const searching = hasty.call('search_text', { pattern: '(a+)+$b', match: 'regex' })
  while (hasty.clock.nextWake === undefined || hasty.clock.nextWake > hasty.clock.now() + 100)
    await new Promise((resolve) => setImmediate(resolve))
  hasty.clock.advance(100)
  expect(await searching).toMatchObject({
    success: false,
    error_code: 'PATTERN_TIMEOUT',
    details: { timeout_ms: 100 },
  })
  expect(await hasty.call('search_text', { pattern: 'aaa', limit: 1 })).toMatchObject({ success: true })
})
