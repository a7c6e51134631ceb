import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest, type TestAnswer } from '../support/whole-qda.js'
import { newRig, writeTools } from '../support/write-tools.js'

let qda: QdaForTest
let call: QdaForTest['call']
beforeAll(async () => {
  qda = await openQdaForTest({ tools: writeTools(newRig()) })
  call = qda.call
  await qda.openProject()
  await call('add_journal', { name: 'Day 1' })
})
afterAll(() => qda[Symbol.asyncDispose]())

describe('arguments', () => {
  it.each([undefined, null, '', '  ', '\t\n'])('that are required and %j are missing', async (name) => {
    expect(await call('add_journal', { name })).toEqual({
      success: false,
      error: 'Missing required parameter: name',
      error_code: 'MISSING_PARAMETER',
      details: { path: 'name' },
    })
  })

  it('of blanks are there, unless they are a name', async () => {
    expect(await call('export_qdc', { path: '' })).toMatchObject({ error_code: 'MISSING_PARAMETER' })
    expect(await call('export_qdc', { path: ' ', dry_run: true })).toMatchObject({ success: true })
  })

  it('that are misspelt are said to be missing under their name', async () => {
    expect(await call('add_journal', { nane: 'Day 2' })).toMatchObject({
      error_code: 'MISSING_PARAMETER',
      suggestions: [expect.stringContaining('did you mean name?')],
    })
  })

  it.each([
    [{ name: 5 }, 'name'],
    [{ name: 'Day 2', dry_run: 'yes' }, 'dry_run'],
    [{ name: 'Day 2', request_id: 'x'.repeat(129) }, 'request_id'],
    [{ name: 'Day 2', start_pos: 1.5 }, 'start_pos'],
    [{ name: 'Day 2', contents: '' }, 'contents'],
    [{ name: 'Day 2', constructor: null }, 'constructor'],
    [{ name: 'Day 2', confirm: true }, 'confirm'],
  ])('%j are invalid, with the path of what is wrong', async (args, path) => {
    const answer = await call('add_journal', args)
    expect(answer).toMatchObject({ success: false, error_code: 'INVALID_ARGUMENT', details: { path } })
  })

  it('that are unknown are told with the one they are like', async () => {
    const { error } = await call('add_journal', { name: 'Day 2', contents: '' })
    expect(error).toContain('content')
  })

  it.each([1, '1', '001'])('that are the id %j are a number', async (journal_id) => {
    expect(await call('delete_code', { journal_id, dry_run: true })).toMatchObject({ journal_id: 1 })
  })

  it.each([-1, 1.5, '1.0', 'one', true, [1], '9999999999999999999'])('that are the id %j are invalid', async (id) => {
    expect(await call('delete_code', { journal_id: id })).toMatchObject({ error_code: 'INVALID_ARGUMENT' })
  })

  it('of positions go by either name, and by both where these agree', async () => {
    const ask = (more: object) => call('add_journal', { name: 'Day 2', dry_run: true, ...more })
    expect(await ask({ start_position: 3 })).toMatchObject({ success: true })
    expect(await ask({ start_position: 3, start_pos: 3 })).toMatchObject({ success: true })
    expect(await ask({ start_position: 3, start_pos: null })).toMatchObject({ success: true })
    expect(await ask({ start_position: 3, start_pos: 4 })).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
      details: { path: 'start_position' },
    })
  })

  it('come before the project, the project before what is in it, and that before what is allowed', async () => {
    const elsewhere = { session: 'session-2' }
    expect(await call('delete_code', {}, elsewhere)).toMatchObject({ error_code: 'MISSING_PARAMETER' })
    expect(await call('delete_code', { journal_id: 7 }, elsewhere)).toMatchObject({
      error: 'No project open',
      error_code: 'NO_PROJECT',
    })
    expect(await call('delete_code', { journal_id: 7, confirm: true, preview_token: 'x' })).toMatchObject({
      error_code: 'JOURNAL_NOT_FOUND',
    })
  })
})

describe('an answer', () => {
  it('has its data once, and at the top as well where the tool is flat', async () => {
    const { data, ...flat } = await call('add_journal', { name: 'Day 2', dry_run: true })
    expect(flat).toEqual({ success: true, ...data })
    expect(await call('list_journals')).toEqual({ success: true, data: ['Day 1'], total_count: 1 })
    const { data: exported, ...rest } = await call('export_qdc', { path: '/a', dry_run: true })
    expect(exported).toMatchObject({ path: '/a' })
    expect(rest).toEqual({ success: true })
  })

  it('that tells of a failure is marked as an error, and has no data', async () => {
    const result = await qda.link.callTool('add_journal', {})
    expect(result.isError).toBe(true)
    expect(result.structuredContent).not.toHaveProperty('data')
  })

  it('never has a key in its data that has a meaning beside it', async () => {
    await using whole = await openQdaForTest()
    for (const { name, outputSchema } of whole.link.definitions.tools ?? []) {
      const { data = {} } = (outputSchema as TestAnswer)['properties']
      const keys = Object.keys(data.properties ?? {})
      expect([name, keys.filter((key) => ['success', 'data', 'error', 'error_code'].includes(key))]).toEqual([name, []])
    }
  })
})

describe('each tool', () => {
  it('says what it may do to the project, and never reaches beyond it', async () => {
    await using whole = await openQdaForTest()
    const marks = new Map((whole.link.definitions.tools ?? []).map(({ name, annotations }) => [name, annotations]))
    const destructive = /^(remove|delete|merge|undo|restore|repair|approve|reject|export)_/
    const reads = /^(get|list|read|search)_|^(code_cooccurrence|coder_agreement|verify_project)$/
    for (const [name, annotations] of marks) {
      expect([name, annotations]).toEqual([
        name,
        {
          title: expect.any(String),
          readOnlyHint: reads.test(name),
          destructiveHint: destructive.test(name),
          idempotentHint: !/^(import_|undo_change_set$|set_memo$)/.test(name),
          openWorldHint: false,
        },
      ])
    }
  })
})
