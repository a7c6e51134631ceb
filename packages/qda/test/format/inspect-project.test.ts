import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { inspectProject } from '../../src/format/inspect-project.js'
import { dumpRows } from '../support/every-table.js'
import { failureOf } from '../support/failure-of.js'
import { changeProject, makeMisspelt, makeProjectOfVersion, makeVersion8WithRisid } from '../support/old-projects.js'
import { schemaText } from '../support/schema-check.js'
import { temporaryFolder } from '../support/temporary-folder.js'

let path: string
let database: string

beforeEach(() => {
  path = join(temporaryFolder(), 'Study.qda')
  database = join(path, 'data.qda')
})

describe('the version', () => {
  it.each([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])('%i is written to, without a warning', (version) => {
    makeProjectOfVersion(path, { version })
    expect(inspectProject(path)).toMatchObject({
      schemaVersion: version,
      access: { kind: 'write' },
      warnings: [],
      sourceCount: 1,
    })
  })

  it.each([1, 2, 3, 4])('%i is read only', (version) => {
    makeProjectOfVersion(path, { version })
    const { access, warnings, schemaVersion } = inspectProject(path)
    expect(access).toEqual({
      kind: 'read',
      code: 'PROJECT_READ_ONLY',
      reason: expect.stringContaining('Open it once in a current QualCoder'),
    })
    expect({ warnings, schemaVersion }).toEqual({ warnings: [], schemaVersion: version })
  })

  it('18 is not known yet, so it is read only', () => {
    makeProjectOfVersion(path, { version: 18 })
    expect(inspectProject(path)).toMatchObject({ schemaVersion: 18, access: { kind: 'read', code: 'SCHEMA_TOO_NEW' } })
  })

  it.each([
    ['v17', 17],
    ['17', 17],
    [' V17 ', 17],
    ['', null],
    [null, null],
    ['seventeen', null],
    ['v17; DROP TABLE source', null],
    ['v99999', null],
  ])('%j is read as %j', (claims, schemaVersion) => {
    makeProjectOfVersion(path, { version: 17, claims })
    expect(inspectProject(path)).toMatchObject({
      schemaVersion,
      access: { kind: schemaVersion === null ? 'read' : 'write' },
    })
  })
})

describe('a version that is not true', () => {
  it('opens, with what is missing', () => {
    makeProjectOfVersion(path, { version: 8, claims: 'v17' })
    const { access, warnings, columns } = inspectProject(path)
    expect(access).toEqual({ kind: 'write' })
    expect(warnings).toEqual([expect.stringContaining('says v17 but has no project.recently_used_codes')])
    expect(columns.has('coder_names')).toBe(false)
    expect(columns.get('source')).toContain('av_text_id')
    expect(columns.get('source')).not.toContain('risid')
  })

  it('opens with what came later', () => {
    makeVersion8WithRisid(path)
    const { access, warnings } = inspectProject(path)
    expect({ access, warnings }).toEqual({
      access: { kind: 'write' },
      warnings: ['The project says v8 but has what came later: source.risid.'],
    })
  })

  it('opens with a misspelt column', () => {
    makeMisspelt(path)
    const { access, warnings, columns } = inspectProject(path)
    expect(access).toEqual({ kind: 'write' })
    expect(warnings).toEqual([
      'The project says v15 but has no project.avbookmarktextpos.',
      expect.stringContaining('misspelt'),
    ])
    expect(columns.get('project')).toContain('avbookmarktext')
  })

  it('is not written to if what every such version has is missing', () => {
    makeProjectOfVersion(path, { version: 3, claims: 'v17' })
    expect(inspectProject(path).access).toMatchObject({
      kind: 'read',
      reason: expect.stringContaining('project.codername'),
    })
  })
})

it('finds rows by their keys, and codings of old projects by their rowid', () => {
  makeProjectOfVersion(path, { version: 3 })
  const { keys } = inspectProject(path)
  expect([keys.get('code_text'), keys.get('source'), keys.get('project'), keys.get('attribute_type')]).toEqual([
    'rowid',
    'id',
    'rowid',
    'name',
  ])
})

describe('what is no project', () => {
  const notQualCoder = 'PROJECT_NOT_OPENED/NOT_QUALCODER'

  it.each([
    ['an empty file', (file: string) => writeFileSync(file, '')],
    ['a text', (file: string) => writeFileSync(file, 'x'.repeat(10_000))],
    ['nothing', () => undefined],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ])('is refused: %s', async (_, make) => {
    mkdirSync(path)
    make(database)
    expect(await failureOf(() => inspectProject(path))).toBe(notQualCoder)
  })

  it.each([
    ['without a project table', 'DROP TABLE project'],
    ['with an empty project table', 'DELETE FROM project'],
    ['that does not name QualCoder', "UPDATE project SET about = 'Other program'"],
    ['that says nothing about itself', 'UPDATE project SET about = NULL'],
    ['without codings', 'DROP TABLE code_text'],
    ['without the text of sources', 'ALTER TABLE source DROP COLUMN fulltext'],
    ['whose sources are a view', 'ALTER TABLE source RENAME TO s; CREATE VIEW source AS SELECT * FROM s'],
  ])('is refused: a database %s', async (_, sql) => {
    makeProjectOfVersion(path, { version: 17 })
    changeProject(path, (db) => db.exec(sql))
    expect(await failureOf(() => inspectProject(path))).toBe(notQualCoder)
  })

  it.each([100, 1_000, 4_096, 10_000, 40_000])(
    'is refused or read, and no crash: cut off after %i bytes',
    async (bytes) => {
      makeProjectOfVersion(path, { version: 17 })
      truncateSync(database, bytes)
      expect(await failureOf(() => inspectProject(path))).toMatch(
        /^PROJECT_NOT_OPENED\/(NOT_QUALCODER|DB_OPEN_FAILED)$/,
      )
    },
  )

  it('is refused or read, and no crash: any page overwritten', async () => {
    makeProjectOfVersion(path, { version: 17 })
    const whole = readFileSync(database)
    for (let page = 0; page < whole.length / 4_096; page += 1) {
      writeFileSync(database, Buffer.from(whole).fill(0xa5, page * 4_096 + (page === 0 ? 100 : 0), (page + 1) * 4_096))
      expect(await failureOf(() => inspectProject(path))).toMatch(
        /^(no failure|PROJECT_NOT_OPENED\/(NOT_QUALCODER|DB_OPEN_FAILED))$/,
      )
    }
  })
})

describe('what is only read', () => {
  it.each([
    ['in WAL mode', 'PRAGMA journal_mode = WAL', 'WAL'],
    ['with triggers', 'CREATE TRIGGER t AFTER INSERT ON source BEGIN DELETE FROM code_text; END', 'triggers'],
    ['without attributes', 'DROP TABLE attribute', 'attribute'],
  ])('is a database %s', (_, sql, reason) => {
    makeProjectOfVersion(path, { version: 17 })
    changeProject(path, (db) => db.exec(sql))
    expect(inspectProject(path).access).toEqual({
      kind: 'read',
      code: 'PROJECT_READ_ONLY',
      reason: expect.stringContaining(reason),
    })
  })

  it('is a database in UTF-16, to which no other can be attached', () => {
    makeProjectOfVersion(path, { version: 17 })
    const tables = schemaText(database).flatMap((row) => (row as { sql?: string | null }).sql ?? [])
    const wide = new Database(join(path, 'wide.qda'))
    wide.pragma("encoding = 'UTF-16'")
    for (const sql of tables) wide.exec(sql)
    wide.exec("INSERT INTO project (databaseversion, about) VALUES ('v17', 'QualCoder')")
    wide.close()
    copyFileSync(join(path, 'wide.qda'), database)
    expect(inspectProject(path).access).toMatchObject({ kind: 'read', reason: expect.stringContaining('UTF-16') })
  })

  // No permission stops root.
  it.skipIf(process.getuid?.() === 0).each([
    ['database', 'data.qda', 0o444],
    ['folder', '', 0o555],
  ])('is a project whose %s may not be written', (_, name, mode) => {
    makeProjectOfVersion(path, { version: 17 })
    const place = join(path, name)
    chmodSync(place, mode)
    try {
      expect(inspectProject(path).access).toEqual({
        kind: 'read',
        code: 'PROJECT_READ_ONLY',
        reason: expect.stringContaining(`${place} can't be written`),
      })
    } finally {
      chmodSync(place, 0o755)
    }
  })
})

it('names missing folders, and does not mind', () => {
  makeProjectOfVersion(path, { version: 17 })
  rmSync(join(path, 'images'), { recursive: true })
  expect(inspectProject(path)).toMatchObject({
    access: { kind: 'write' },
    warnings: ['The project has no folder images.'],
  })
})

it('refuses a side file that leads elsewhere', async () => {
  makeProjectOfVersion(path, { version: 17 })
  symlinkSync('/etc/hostname', join(path, 'callboard.sqlite'))
  expect(await failureOf(() => inspectProject(path))).toBe('PROJECT_NOT_OPENED/DB_OPEN_FAILED')
})

it('changes nothing', () => {
  makeProjectOfVersion(path, { version: 8 })
  const before = readFileSync(database)
  inspectProject(path)
  expect(readFileSync(database).equals(before)).toBe(true)
})

it('waits for nobody who writes, and says so', async () => {
  makeProjectOfVersion(path, { version: 17 })
  const writer = new Database(database)
  writer.exec('BEGIN EXCLUSIVE')
  expect(await failureOf(() => inspectProject(path))).toBe('PROJECT_BUSY')
  writer.exec('ROLLBACK')
  writer.close()
  expect(inspectProject(path).access).toEqual({ kind: 'write' })
})

it('takes back what a writer that was killed left half done', () => {
  makeProjectOfVersion(path, { version: 17 })
  const before = dumpRows(database)
  const writer = `
    const db = new (require('better-sqlite3'))(process.argv[1])
    db.exec("PRAGMA cache_size = 2; BEGIN IMMEDIATE")
    const add = db.prepare("INSERT INTO journal (name, jentry) VALUES (?, ?)")
    for (let n = 0; n < 500; n += 1) add.run('entry ' + n, 'x'.repeat(2000))
    process.kill(process.pid, 'SIGKILL')`
  expect(() => execFileSync(process.execPath, ['-e', writer, database], { stdio: 'pipe' })).toThrow()
  expect(inspectProject(path)).toMatchObject({
    access: { kind: 'write' },
    warnings: [expect.stringContaining('interrupted')],
  })
  expect(dumpRows(database)).toEqual(before)
})
