import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string

beforeEach(async () => {
  qda = await openQdaForTest()
  path = qda.makeProject('My Research')
})

afterEach(() => qda[Symbol.asyncDispose]())

const open = (where: string, session = 'session-1') => qda.call('open_project', { path: where }, { session })
const context = async (session = 'session-1') => (await qda.call('get_project_context', {}, { session }))['data']
/** Whether this worker holds the project open: then QualCoder 3 sees a lock. */
const isOpen = (project: string) => existsSync(join(project, 'project_in_use.lock'))

describe('open_project', () => {
  it('tells of the project at the top and in data', async () => {
    qda.db(path).exec("INSERT INTO source (name) VALUES ('a'), ('b')")
    const data = {
      project_name: 'My Research',
      project_path: path,
      source_count: 2,
      schema_version: 17,
      read_only: false,
      read_only_reason: null,
      warnings: [expect.stringContaining('opened again')],
    }
    expect(await open(path)).toEqual({ success: true, ...data, data })
  })

  it('takes the database in the folder, and links to the folder', async () => {
    symlinkSync(path, join(qda.folder, 'link.qda'))
    for (const where of [join(path, 'data.qda'), `${path}/`, join(qda.folder, 'link.qda')])
      expect(await open(where)).toMatchObject({ success: true, project_path: path })
  })

  it('says that the same one is open already, however its path is written', async () => {
    await open(path)
    expect(await open(join(path, 'data.qda'))).toMatchObject({ success: true, already_open: true })
  })

  it('leaves the project that was open', async () => {
    const other = qda.makeProject('Other')
    await open(path)
    await open(other)
    expect(await context()).toMatchObject({ project_path: other })
    expect([isOpen(path), isOpen(other)]).toEqual([false, true])
  })

  it.each([
    ['PROJECT_NOT_OPENED/INVALID_PATH', () => 'My Research.qda'],
    ['PROJECT_NOT_OPENED/NOT_FOUND', () => join(qda.folder, 'Nothing.qda')],
    ['PROJECT_NOT_OPENED/UNSUPPORTED_FORMAT', () => singleFile()],
    ['PROJECT_NOT_OPENED/NOT_QUALCODER', () => ofAnotherProgram()],
    ['PROJECT_NOT_OPENED/DB_OPEN_FAILED', () => damaged()],
    ['MISSING_PARAMETER', () => ''],
  ])('answers %s, and the session keeps what it had', async (code, where) => {
    await open(path)
    expect(await open(where())).toMatchObject({ success: false, error_code: code })
    expect(await context()).toMatchObject({ project_open: true, project_path: path })
    expect(isOpen(path)).toBe(true)
  })

  it('does not leave the roots of the configuration', async () => {
    await using limited = await openQdaForTest({ config: { roots: [qda.folder] } })
    expect(await limited.call('open_project', { path })).toMatchObject({ success: true })
    const outside = limited.makeProject('Outside')
    expect(await limited.call('open_project', { path: outside })).toMatchObject({
      success: false,
      error_code: 'PROJECT_NOT_OPENED/FORBIDDEN_PATH',
    })
    symlinkSync(outside, join(qda.folder, 'Outside.qda'))
    expect(await limited.call('open_project', { path: join(qda.folder, 'Outside.qda') })).toMatchObject({
      error_code: 'PROJECT_NOT_OPENED/FORBIDDEN_PATH',
    })
  })

  it('only looks, on a dry run', async () => {
    const answer = await qda.call('open_project', { path, dry_run: true })
    expect(answer).toMatchObject({ success: true, dry_run: true, project_name: 'My Research' })
    expect(await context()).toMatchObject({ project_open: false })
    expect(isOpen(path)).toBe(false)
  })

  it('lets several sessions share a project; the last one that leaves closes it', async () => {
    await open(path, 'one')
    await open(path, 'two')
    await qda.call('add_text_source', { name: 'a', content: 'b' }, { session: 'one' })
    expect(await context('two')).toMatchObject({ source_count: 1 })
    await qda.call('close_project', {}, { session: 'one' })
    expect(isOpen(path)).toBe(true)
    expect(await qda.call('list_sources', {}, { session: 'two' })).toMatchObject({ success: true })
    await qda.link.closeSession('two')
    await qda.call('close_project', {}, { session: 'three' })
    expect(isOpen(path)).toBe(false)
  })

  it('opens a newer format for reading', async () => {
    qda.db(path).exec("UPDATE project SET databaseversion = 'v18'")
    expect(await open(path)).toMatchObject({ success: true, schema_version: 18, read_only: true })
    expect(await context()).toMatchObject({ read_only: true })
    const answer = await qda.call('create_folder', { name: 'a' })
    expect(answer).toMatchObject({ success: false, error_code: 'SCHEMA_TOO_NEW' })
    expect(await qda.call('rename_folder', { folder_id: 1, new_name: 'a' })).toMatchObject({
      error_code: 'FOLDER_NOT_FOUND',
    })
    expect(existsSync(join(path, 'callboard.sqlite'))).toBe(false)
  })

  it('reads while QualCoder has the project open, and writes once it does not', async () => {
    const lock = join(path, 'project_in_use.lock')
    writeFileSync(lock, `ada\n${Math.floor(qda.clock.now() / 1000)}`)
    const opened = await open(path)
    expect(opened).toMatchObject({
      success: true,
      read_only: true,
      read_only_reason: expect.stringMatching(/QualCoder/),
    })
    const source = { name: 'a', content: 'b' }
    expect(await qda.call('add_text_source', source)).toMatchObject({ success: false, error_code: 'PROJECT_LOCKED' })
    expect(await qda.call('list_sources')).toMatchObject({ success: true, data: { count: 0 } })
    writeFileSync(lock, `ada\n${Math.floor(qda.clock.now() / 1000) - 60}`)
    expect(await open(path)).toMatchObject({ success: true, already_open: true, read_only: false })
    expect(await qda.call('add_text_source', source)).toMatchObject({ success: true })
  })
})

function singleFile(): string {
  const file = join(qda.folder, 'Two.qda')
  new Database(file).exec('CREATE TABLE prj_settings (id)').close()
  return file
}

function ofAnotherProgram(): string {
  const other = qda.makeProject('Foreign')
  qda.db(other).exec("UPDATE project SET about = 'Something else'")
  return other
}

function damaged(): string {
  const other = qda.makeProject('Damaged')
  writeFileSync(join(other, 'callboard.sqlite'), 'this is no database, and long enough to be read as one '.repeat(20))
  return other
}
