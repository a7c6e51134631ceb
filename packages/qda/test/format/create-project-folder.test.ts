import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createProjectFolder } from '../../src/format/create-project-folder.js'
import { inspectProject } from '../../src/format/inspect-project.js'
import { failureOf } from '../support/failure-of.js'
import { expectDocumentedSchema } from '../support/schema-check.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const project = { coder: 'AI Agent (main)', now: Date.parse('2026-03-02T12:00:05Z'), timeZone: 'Europe/Berlin' }

it('makes a project as QualCoder 4.0 does', () => {
  const path = join(temporaryFolder(), 'New.qda')
  createProjectFolder({ path, name: 'New' }, project)
  expect(readdirSync(path).sort()).toEqual(['audio', 'data.qda', 'documents', 'images', 'video'])
  expectDocumentedSchema(join(path, 'data.qda'))
  const db = new Database(join(path, 'data.qda'), { readonly: true })
  expect(db.prepare('SELECT * FROM project').all()).toEqual([
    {
      databaseversion: 'v17',
      date: '2026-03-02 13:00:05',
      memo: '',
      about: 'QualCoder 4.0 Beta (created by callboard)',
      bookmarkfile: 0,
      bookmarkpos: 0,
      codername: 'AI Agent (main)',
      recently_used_codes: '',
      avbookmarkfile: null,
      avbookmarkmsec: null,
      avbookmarktextpos: null,
    },
  ])
  expect(db.prepare('SELECT * FROM coder_names ORDER BY rowid').all()).toEqual([
    { name: 'AI Agent (main)', visibility: 1 },
    { name: '📌 Speaker coding', visibility: 1 },
  ])
  db.close()
})

it('makes one that opens for writing, without a warning', () => {
  const path = join(temporaryFolder(), 'New.qda')
  createProjectFolder({ path, name: 'New' }, project)
  expect(inspectProject(path)).toMatchObject({
    access: { kind: 'write' },
    warnings: [],
    schemaVersion: 17,
    coderName: 'AI Agent (main)',
    sourceCount: 0,
  })
})

it('leaves what is there, and nothing of its own', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'Empty.qda'))
  mkdirSync(join(folder, 'Full.qda'))
  writeFileSync(join(folder, 'Full.qda', 'data.qda'), 'mine')
  writeFileSync(join(folder, 'File.qda'), 'mine')
  for (const name of ['Empty', 'Full', 'File'])
    expect(await failureOf(() => createProjectFolder({ path: join(folder, `${name}.qda`), name }, project))).toBe(
      'PROJECT_NOT_CREATED/EXISTS',
    )
  expect(readdirSync(folder).sort()).toEqual(['Empty.qda', 'File.qda', 'Full.qda'])
  expect(readdirSync(join(folder, 'Empty.qda'))).toEqual([])
  expect(readFileSync(join(folder, 'Full.qda', 'data.qda'), 'utf8')).toBe('mine')
})

it('says where no folder can be made', async () => {
  const path = '/proc/New.qda'
  expect(await failureOf(() => createProjectFolder({ path, name: 'New' }, project))).toBe(
    'PROJECT_NOT_CREATED/INVALID_PATH',
  )
})
