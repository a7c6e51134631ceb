import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textHash } from '../../src/text/text-hash.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string

beforeEach(async () => {
  qda = await openQdaForTest()
  path = await qda.openProject()
})

afterEach(() => qda[Symbol.asyncDispose]())

describe('add_text_source', () => {
  it('stores the text, and tells what it stored at the top and in data', async () => {
    const content = 'Grüße 👋🏽 from Ada'
    const answer = await qda.call('add_text_source', {
      name: ' interview.txt ',
      content,
      memo: 'first',
      origin: 'field',
    })
    const data = {
      source_id: 1,
      name: 'interview.txt',
      type: 'text',
      status: 'imported',
      file_size: Buffer.byteLength(content),
      total_length: [...content].length,
      text_hash: textHash(content),
      normalized: false,
      change_set_id: expect.any(String),
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(qda.db(path).prepare('SELECT * FROM source').get()).toMatchObject({
      id: 1,
      name: 'interview.txt',
      fulltext: content,
      mediapath: null,
      memo: 'first',
      owner: 'AI Agent (main)',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      av_text_id: null,
    })
    const { data: list } = await qda.call('list_sources')
    expect(list.sources[0]).toMatchObject({ origin: 'field', memo: 'first' })
  })

  it('puts the agent among the coders of the project', async () => {
    await qda.call('add_text_source', { name: 'a', content: 'b' })
    const coders = qda.db(path).prepare('SELECT name, visibility FROM coder_names').all()
    expect(coders).toEqual([{ name: 'AI Agent (main)', visibility: 1 }])
  })

  it('takes line ends and a byte order mark as QualCoder does, and nothing else', async () => {
    const answer = await qda.call('add_text_source', { name: 'a', content: '\ufeffone\r\ntwo\rthree\u2029e\u0301' })
    expect(answer).toMatchObject({ success: true, normalized: true, total_length: 16 })
    expect(qda.db(path).prepare('SELECT fulltext FROM source').pluck().get()).toBe('one\ntwo\nthree\u2029e\u0301')
  })

  it('gives the source an empty row for each attribute of files, in place of what an earlier one left', async () => {
    const db = qda.db(path)
    const addType = db.prepare("INSERT INTO attribute_type (name, caseOrFile, valuetype) VALUES (?, ?, 'character')")
    for (const [name, kind] of [
      ['place', 'file'],
      ['year', 'file'],
      ['age', 'case'],
    ])
      addType.run(name, kind)
    db.exec("INSERT INTO attribute (name, attr_type, value, id) VALUES ('place', 'file', 'Rome', 1)")
    await qda.call('add_text_source', { name: 'a', content: 'b' })
    expect(db.prepare('SELECT name, attr_type, value, id, owner FROM attribute ORDER BY name').all()).toEqual([
      { name: 'place', attr_type: 'file', value: '', id: 1, owner: 'AI Agent (main)' },
      { name: 'year', attr_type: 'file', value: '', id: 1, owner: 'AI Agent (main)' },
    ])
  })

  it.each([
    ['another case', 'INTERVIEW É', 'interview é'],
    ['another normal form', 'caf\u00e9', 'cafe\u0301'],
    ['blanks around it', 'note', '  note '],
  ])('refuses a name that a source has in %s', async (_, first, second) => {
    await qda.call('add_text_source', { name: first, content: 'x' })
    expect(await qda.call('add_text_source', { name: second, content: 'y' })).toMatchObject({
      success: false,
      error_code: 'SOURCE_NOT_ADDED/DUPLICATE_NAME',
      error: `Source with name '${second.trim()}' already exists`,
      details: { source_id: 1 },
    })
    expect(qda.db(path).prepare('SELECT count(*) FROM source').pluck().get()).toBe(1)
  })

  it.each([
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a line break', 'a\nb'],
    ['256 characters', 'x'.repeat(256)],
  ])('refuses a name with %s', async (_, name) => {
    const answer = await qda.call('add_text_source', { name, content: 'x' })
    expect(answer).toMatchObject({ success: false, error_code: 'SOURCE_NOT_ADDED/INVALID_NAME' })
  })

  it('takes a name of 255 emoji', async () => {
    const answer = await qda.call('add_text_source', { name: '🎤'.repeat(255), content: 'x' })
    expect(answer).toMatchObject({ success: true })
  })

  it.each([
    ['a NUL', 'a\0b'],
    ['half a surrogate pair', 'a\ud83db'],
  ])('refuses a text with %s', async (_, content) => {
    const answer = await qda.call('add_text_source', { name: 'a', content })
    expect(answer).toMatchObject({ success: false, error_code: 'INVALID_CONTENT' })
  })

  it.each([
    ['name', { content: 'x' }],
    ['name', { name: '  ', content: 'x' }],
    ['content', { name: 'a' }],
    ['content', { name: 'a', content: '' }],
    ['content', { name: 'a', content: null }],
  ])('misses %s in %j', async (parameter, args) => {
    expect(await qda.call('add_text_source', args)).toMatchObject({
      success: false,
      error_code: 'MISSING_PARAMETER',
      error: `Missing required parameter: ${parameter}`,
    })
  })

  it('refuses a memo that would be private', async () => {
    const answer = await qda.call('add_text_source', { name: 'a', content: 'x', memo: 'see ##### this' })
    expect(answer).toMatchObject({ success: false, error_code: 'INVALID_ARGUMENT' })
  })

  it('writes nothing on a dry run', async () => {
    const answer = await qda.call('add_text_source', { name: 'a', content: 'x', dry_run: true })
    expect(answer).toMatchObject({ success: true, dry_run: true, change_set_id: null })
    expect(qda.db(path).prepare('SELECT count(*) FROM source').pluck().get()).toBe(0)
  })

  it('has one effect for one request', async () => {
    const args = { name: 'a', content: 'x', request_id: 'r1' }
    const first = await qda.call('add_text_source', args)
    const again = await qda.call('add_text_source', args)
    expect(again).toMatchObject({ ...first, data: { ...first['data'], replayed: true } })
    const other = await qda.call('add_text_source', { ...args, content: 'y' })
    expect(other).toMatchObject({ success: false, error_code: 'REQUEST_ID_CONFLICT' })
  })

  it('takes two million characters', async () => {
    const answer = await qda.call('add_text_source', { name: 'long', content: 'word '.repeat(400_000) })
    expect(answer).toMatchObject({ success: true, total_length: 2_000_000 })
  })

  it('is taken back by undo, attributes and origin too', async () => {
    const db = qda.db(path)
    db.exec("INSERT INTO attribute_type (name, caseOrFile, valuetype) VALUES ('place', 'file', 'character')")
    const { change_set_id } = await qda.call('add_text_source', { name: 'a', content: 'x', origin: 'field' })
    expect(await qda.call('undo_change_set', { change_set_id })).toMatchObject({ success: true, data: { skipped: [] } })
    expect(db.prepare('SELECT count(*) FROM source').pluck().get()).toBe(0)
    expect(db.prepare('SELECT count(*) FROM attribute').pluck().get()).toBe(0)
  })
})
