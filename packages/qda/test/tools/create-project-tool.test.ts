import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string

beforeEach(async () => {
  qda = await openQdaForTest()
  path = join(qda.folder, 'My Research.qda')
})

afterEach(() => qda[Symbol.asyncDispose]())

const create = (args: object = {}) => qda.call('create_project', { path, ...args })

describe('create_project', () => {
  it('makes a project of QualCoder 4.0, and opens it', async () => {
    expect(await create()).toEqual({
      success: true,
      data: {
        project_name: 'My Research',
        project_path: path,
        source_count: 0,
        schema_version: 17,
        read_only: false,
        read_only_reason: null,
        warnings: [expect.stringContaining('opened again')],
        coder_name: 'AI Agent (main)',
        change_set_id: null,
      },
    })
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['audio', 'data.qda', 'documents', 'images', 'video']))
    const context = await qda.call('get_project_context')
    expect(context['data']).toMatchObject({ project_open: true, project_path: path, coder_name: 'AI Agent (main)' })
    expect(await qda.call('add_text_source', { name: 'a', content: 'b' })).toMatchObject({ success: true })
  })

  it('knows the person who codes, under the name that is given', async () => {
    await create({ coder_name: ' Ada ' })
    const db = qda.db(path)
    expect(db.prepare('SELECT codername FROM project').pluck().get()).toBe('Ada')
    expect(db.prepare('SELECT name FROM coder_names').pluck().all()).toEqual(
      expect.arrayContaining(['Ada', '📌 Speaker coding']),
    )
  })

  it('takes the place of the project that the session had open', async () => {
    const old = await qda.openProject('Old')
    await create()
    expect((await qda.call('get_project_context'))['data']).toMatchObject({ project_name: 'My Research' })
    expect(await qda.call('open_project', { path: old })).not.toHaveProperty('already_open')
  })

  it('refuses a path where something is, and the session keeps what it had', async () => {
    await create()
    const old = await qda.openProject('Old')
    expect(await create()).toMatchObject({ success: false, error_code: 'PROJECT_NOT_CREATED/EXISTS' })
    expect((await qda.call('get_project_context'))['data']).toMatchObject({ project_path: old })
  })

  it.each([
    ['a relative path', 'Study.qda'],
    ['another ending', '/tmp/Study.db'],
    ['a folder that is not there', '/nowhere/at/all/Study.qda'],
    ['no name', '/tmp/.qda'],
  ])('refuses %s', async (_, given) => {
    const answer = await create({ path: given })
    expect(answer).toMatchObject({ success: false, error_code: 'PROJECT_NOT_CREATED/INVALID_PATH' })
  })

  it('checks all on a dry run, and makes nothing', async () => {
    expect(await create({ dry_run: true })).toMatchObject({
      success: true,
      data: { dry_run: true, project_path: path },
    })
    expect(existsSync(path)).toBe(false)
    expect((await qda.call('get_project_context'))['data']).toMatchObject({ project_open: false })
    mkdirSync(path)
    expect(await create({ dry_run: true })).toMatchObject({ error_code: 'PROJECT_NOT_CREATED/EXISTS' })
  })

  it('has one effect for one request', async () => {
    const first = await create({ request_id: 'r1' })
    const again = await create({ request_id: 'r1' })
    expect(again).toEqual({ success: true, data: { ...first['data'], replayed: true } })
    expect(await create({ request_id: 'r1', coder_name: 'Ada' })).toMatchObject({ error_code: 'REQUEST_ID_CONFLICT' })
    expect(await qda.call('create_project', { path, request_id: 'r1' }, { principal: 'agent:two' })).toMatchObject({
      error_code: 'PROJECT_NOT_CREATED/EXISTS',
    })
  })

  it('keeps to the roots of the configuration, links followed', async () => {
    const inside = qda.folder
    await using limited = await openQdaForTest({ config: { roots: [inside] } })
    symlinkSync(limited.folder, join(inside, 'way-out'))
    const at = (where: string) => limited.call('create_project', { path: where })
    expect(await at(join(inside, 'In.qda'))).toMatchObject({ success: true })
    for (const where of [
      join(limited.folder, 'Out.qda'),
      join(inside, 'way-out', 'Out.qda'),
      join(inside, '..', 'Out.qda'),
    ])
      expect(await at(where)).toMatchObject({ success: false, error_code: 'PROJECT_NOT_CREATED/FORBIDDEN_PATH' })
  })
})
