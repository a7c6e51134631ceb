import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CodedProject, openCodedProject, operator } from '../support/coded-project.js'

const plain = 'The garden was quiet. The water came back.'

let project: CodedProject

beforeEach(async () => {
  project = await openCodedProject([plain, 'Another text'])
})

afterEach(() => project[Symbol.asyncDispose]())

const suggest = (items: unknown[], more: object = {}) =>
  project.call('suggest_codings', { source_id: 1, items, ...more })
async function approve(id: string, more: object = {}) {
  const answer = await project.call('approve_suggestion', { id, ...more }, operator)
  return { ...answer, ...answer['data'] }
}

describe('suggest_codings', () => {
  it('makes each item a suggestion of its own, and codes nothing', async () => {
    const { success, data } = await suggest([
      { code_id: 1, quote: 'garden', rationale: 'they hope', confidence: 0.8, importance: 2 },
      { new_code: 'Rain', start_position: 22, end_position: 31 },
    ])
    expect(success).toBe(true)
    expect(data).toMatchObject({
      total: 2,
      succeeded: 2,
      failed: 0,
      status: 'pending_approval',
      requires_approval: true,
    })
    expect(data.results).toEqual([
      {
        ...{ index: 0, success: true, suggestion_id: expect.any(String), code_id: 1 },
        ...{ start_position: 4, end_position: 10, selected_text: 'garden', matched: 'exact' },
      },
      {
        ...{ index: 1, success: true, suggestion_id: expect.any(String), new_code: 'Rain' },
        ...{ start_position: 22, end_position: 31, selected_text: 'The water' },
      },
    ])
    expect(project.codings()).toEqual([])
    const { data: waiting } = await project.call('get_suggestion', { id: data.results[0].suggestion_id })
    expect(waiting).toMatchObject({
      ...{ kind: 'coding', tool: 'apply_suggested_coding', rationale: 'they hope', status: 'pending' },
      payload: { quote: 'garden', confidence: 0.8 },
    })
  })

  it('is coded once approved, in the name of the agent, with the new code', async () => {
    const { data } = await suggest([
      { code_id: 1, quote: 'garden', importance: 2 },
      { new_code: ' rainy  Days', quote: 'water' },
      { new_code: 'Rainy days', quote: 'quiet' },
    ])
    const results = []
    for (const { suggestion_id } of data.results) results.push((await approve(suggestion_id))['data'])
    expect(results).toMatchObject([
      { status: 'approved', result: { segment_id: 1, created: true, code_created: false } },
      { status: 'approved', result: { segment_id: 2, code_id: 3, code_created: true } },
      { status: 'approved', result: { segment_id: 3, code_id: 3, code_created: false } },
    ])
    expect(project.codings()).toMatchObject([
      { cid: 1, pos0: 4, pos1: 10, seltext: 'garden', owner: 'AI Agent (main)' },
      { cid: 3, seltext: 'water' },
      { cid: 3, seltext: 'quiet' },
    ])
    expect(project.db.prepare('SELECT name FROM code_name WHERE cid = 3').pluck().get()).toBe('rainy Days')
    expect(await approve(data.results[0].suggestion_id)).toMatchObject({ error_code: 'ALREADY_DECIDED' })
    expect(project.codings()).toHaveLength(3)
  })

  it.each([
    ['the text changed', "UPDATE source SET fulltext = fulltext || '!'"],
    ['the code is gone', 'DELETE FROM code_name WHERE cid = 1'],
    ['the code is another one', "UPDATE code_name SET owner = 'bob', date = '2026-02-02' WHERE cid = 1"],
    ['the source is gone', 'DELETE FROM source WHERE id = 1'],
    ['the source is another one', "UPDATE source SET date = '2026-02-02' WHERE id = 1"],
  ])('is stale once %s', async (_, change) => {
    const { data } = await suggest([{ code_id: 1, quote: 'garden' }])
    project.db.exec(change)
    expect(await approve(data.results[0].suggestion_id)).toMatchObject({ success: true, status: 'stale' })
    expect(project.codings()).toEqual([])
  })

  it('is not stale once the source or the code has another name', async () => {
    const { data } = await suggest([{ code_id: 1, quote: 'garden' }])
    project.db.exec(
      "UPDATE source SET name = 'renamed' WHERE id = 1; UPDATE code_name SET name = 'Trust' WHERE cid = 1",
    )
    expect(await approve(data.results[0].suggestion_id)).toMatchObject({ status: 'approved' })
  })

  it('tells in its row what is wrong with an item', async () => {
    const { data } = await suggest([
      { code_id: 1, quote: 'garden' },
      { code_id: 1, quote: 'nothing like it' },
      { code_id: 1, quote: 'The' },
      { code_id: 9, quote: 'garden' },
      { code_id: 1, new_code: 'both', quote: 'garden' },
      { quote: 'garden' },
      { new_code: 'x'.repeat(101), quote: 'garden' },
      { code_id: 1, quote: 'garden', confidence: 2 },
      { code_id: 1, quote: 'garden', source_id: 2 },
      { code_id: 1, start_position: 40, end_position: 50 },
      'no object',
    ])
    expect(data.results.map((row: { error_code?: string }) => row.error_code)).toEqual([
      undefined,
      'QUOTE_NOT_FOUND',
      'AMBIGUOUS_QUOTE',
      'CODE_NOT_FOUND',
      'INVALID_OPERATION',
      'INVALID_OPERATION',
      'CODE_NOT_CREATED/INVALID_NAME',
      'INVALID_OPERATION',
      'INVALID_OPERATION',
      'INVALID_POSITION',
      'INVALID_OPERATION',
    ])
    expect(data).toMatchObject({ succeeded: 1, failed: 10 })
  })

  it('fails where every item does, with all rows', async () => {
    const answer = await suggest([{ code_id: 1, quote: 'nothing like it' }])
    expect(answer).toMatchObject({ success: false, error_code: 'QUOTE_NOT_FOUND' })
    expect(answer['data'].results).toMatchObject([{ index: 0, success: false, error_code: 'QUOTE_NOT_FOUND' }])
    expect(await project.call('list_pending')).toMatchObject({ data: { total_count: 0 } })
  })

  it('gives an equal one that waits its id, and stops at 200', async () => {
    const item = { code_id: 1, quote: 'garden' }
    const { data: one } = await suggest([item])
    const { data: same } = await suggest([item])
    expect(same.results[0].suggestion_id).toBe(one.results[0].suggestion_id)
    project.setText(2, 'x'.repeat(300))
    const items = Array.from({ length: 200 }, (_, at) => ({ code_id: 1, start_position: at, end_position: at + 1 }))
    const { data: first } = await suggest(items.slice(0, 100), { source_id: 2 })
    expect(first).toMatchObject({ succeeded: 100, failed: 0 })
    const { data: second } = await suggest(items.slice(100), { source_id: 2 })
    expect(second).toMatchObject({ succeeded: 99, failed: 1 })
    expect(second.results[99]).toMatchObject({ success: false, error_code: 'QUEUE_FULL' })
  })

  it('refuses an unknown source', async () => {
    const answer = await suggest([{ code_id: 1, quote: 'garden' }], { source_id: 9 })
    expect(answer).toMatchObject({ error_code: 'SOURCE_NOT_FOUND' })
  })
})

describe('suggest_source_metadata', () => {
  const given = { language: 'en', topics: ['garden', 'water'], organization_suggestion: 'Interviews' }
  const ask = (args: object) => project.call('suggest_source_metadata', { source_id: 1, ...args })
  const attributes = () =>
    project.db.prepare("SELECT name, id, value FROM attribute WHERE attr_type = 'file' ORDER BY name, id").all()

  it('asks a person, with what was given and no more', async () => {
    const { data } = await ask({ language: 'en', topics: null })
    expect(data).toEqual({
      ...{ suggestion_id: expect.any(String), source_id: 1, source_name: 'text 1', suggested: { language: 'en' } },
      ...{ status: 'pending_approval', requires_approval: true, change_set_id: null },
    })
  })

  it('is kept once approved, and leaves the attributes alone', async () => {
    const { data } = await ask(given)
    const approved = await approve(data.suggestion_id)
    expect(approved).toMatchObject({ status: 'approved', result: { source_id: 1, ...given, attributes: [] } })
    project.db.exec(`ATTACH '${project.path}/callboard.sqlite' AS ours`)
    expect(project.db.prepare('SELECT language, topics FROM ours.source_meta WHERE source_id = 1').get()).toEqual({
      language: 'en',
      topics: '["garden","water"]',
    })
    expect(attributes()).toEqual([])
  })

  it("becomes QualCoder's own attributes where the person wants that, with a row of each source", async () => {
    project.db.exec(`
      INSERT INTO attribute_type (name, caseOrFile, valuetype) VALUES ('Language', 'case', 'character'), ('Topics', 'file', 'character');
      INSERT INTO attribute (name, attr_type, id, value) VALUES ('Topics', 'file', 1, 'old'), ('Topics', 'file', 2, 'kept');
    `)
    const { data } = await ask(given)
    const approved = await approve(data.suggestion_id, { as_attributes: true })
    expect(approved).toMatchObject({
      status: 'approved',
      result: { attributes: ['Language 2', 'Topics', 'Organization'] },
    })
    expect(attributes()).toEqual([
      { name: 'Language 2', id: 1, value: 'en' },
      { name: 'Language 2', id: 2, value: '' },
      { name: 'Organization', id: 1, value: 'Interviews' },
      { name: 'Organization', id: 2, value: '' },
      { name: 'Topics', id: 1, value: 'garden; water' },
      { name: 'Topics', id: 2, value: 'kept' },
    ])
  })

  it.each([{}, { as_attributes: true }])('is stale once the text changed, approved with %j', async (more) => {
    const { data } = await ask(given)
    project.setText(1, 'Ein anderer Text')
    expect(await approve(data.suggestion_id, more)).toMatchObject({ success: true, status: 'stale' })
    expect(attributes()).toEqual([])
  })

  it.each([
    [{}, 'INVALID_ARGUMENT'],
    [{ topics: [] }, 'INVALID_ARGUMENT'],
    [{ language: ' ' }, 'INVALID_ARGUMENT'],
    [{ language: 'en', source_id: 9 }, 'SOURCE_NOT_FOUND'],
  ])('refuses %j', async (args, code) => {
    expect(await ask(args)).toMatchObject({ success: false, error_code: code })
  })
})

it('offers agents none of what only an approved suggestion does', async () => {
  await expect(project.call('apply_suggested_coding', {})).rejects.toThrow()
  await expect(project.call('set_source_metadata', {})).rejects.toThrow()
})
