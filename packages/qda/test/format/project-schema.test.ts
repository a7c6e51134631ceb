import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { schemaOf } from '../../src/format/schema-history.js'
import { columnsOf, keyOf, projectTables, tableNames } from '../../src/format/tables.js'
import { dumpRows, makeEveryTable } from '../support/every-table.js'
import { makeProjectOfVersion } from '../support/old-projects.js'
import { documentedShapes, expectDocumentedSchema } from '../support/schema-check.js'
import { temporaryFolder } from '../support/temporary-folder.js'

it('has every documented table, and no other', () => {
  expect([...tableNames].sort()).toEqual([...documentedShapes().keys()].sort())
})

it.each([...documentedShapes()])('has %s with its columns, key and unique rules', (name, shape) => {
  const table = projectTables[name as keyof typeof projectTables]
  expect(Object.entries(table.columns).map(([column, { type }]) => `${column} ${type}`)).toEqual(shape.columns)
  expect(keyOf(name as keyof typeof projectTables)).toBe(shape.key)
  expect(table.unique.map((group) => group.join(','))).toEqual(shape.unique)
})

it('makes a database that is as documented, whatever is in it', () => {
  const path = makeEveryTable(join(temporaryFolder(), 'Every.qda'))
  expectDocumentedSchema(join(path, 'data.qda'))
  expect([...dumpRows(join(path, 'data.qda'))].every(([, rows]) => rows.length > 0)).toBe(true)
})

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])('knows what version %i had', (version) => {
  const path = makeProjectOfVersion(join(temporaryFolder(), 'Old.qda'), { version })
  const db = new Database(join(path, 'data.qda'), { readonly: true })
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[]
  const found = tables.map((table) => [
    table,
    db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table),
  ]) as [string, string[]][]
  db.close()
  expect(new Map(found)).toEqual(schemaOf(version))
})

it('shows all rows but those of hidden coders, also rows that nobody owns', () => {
  const path = makeEveryTable(join(temporaryFolder(), 'Every.qda'))
  const db = new Database(join(path, 'data.qda'))
  db.exec("UPDATE code_av SET owner = NULL WHERE avid = 1; UPDATE code_av SET owner = 'Coder 0' WHERE avid = 11")
  expect(db.prepare("SELECT visibility FROM coder_names WHERE name = 'Coder 0'").pluck().get()).toBe(0)
  expect(db.prepare('SELECT avid FROM code_av_visible').pluck().all()).toEqual([1, 21, 31])
  db.close()
})

it('notices a value that changes its type alone', () => {
  const path = makeEveryTable(join(temporaryFolder(), 'Every.qda'))
  const before = dumpRows(join(path, 'data.qda'))
  const db = new Database(join(path, 'data.qda'))
  db.exec('UPDATE code_av SET memo = CAST(memo AS BLOB) WHERE avid = 1')
  db.close()
  const after = dumpRows(join(path, 'data.qda'))
  expect(
    [...after].filter(([table, rows]) => rows.join() !== before.get(table)?.join()).map(([table]) => table),
  ).toEqual(['code_av'])
  expect(columnsOf('code_av')).toContain('memo')
})
