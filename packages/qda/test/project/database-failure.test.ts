import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { lockFileName } from '../../src/format/project-lock.js'
import { databaseFailure } from '../../src/project/database-failure.js'
import { openQdaForTest } from '../support/whole-qda.js'
import { newRig, writeTools } from '../support/write-tools.js'

const asked = (code: string) => databaseFailure(new Database.SqliteError('as SQLite says', code))

describe('what SQLite says', () => {
  it.each([
    ['SQLITE_BUSY_SNAPSHOT', 'PROJECT_BUSY'],
    ['SQLITE_LOCKED', 'PROJECT_BUSY'],
    ['SQLITE_FULL', 'PROJECT_READ_ONLY'],
    ['SQLITE_READONLY_DIRECTORY', 'PROJECT_READ_ONLY'],
    ['SQLITE_READONLY_DBMOVED', 'PROJECT_READ_ONLY'],
    ['SQLITE_IOERR_WRITE', 'PROJECT_READ_ONLY'],
    ['SQLITE_CANTOPEN', 'PROJECT_READ_ONLY'],
    ['SQLITE_CORRUPT_INDEX', 'PROJECT_NOT_OPENED/DB_OPEN_FAILED'],
    ['SQLITE_NOTADB', 'PROJECT_NOT_OPENED/DB_OPEN_FAILED'],
    ['SQLITE_CONSTRAINT_UNIQUE', 'INVALID_ARGUMENT'],
    ['SQLITE_TOOBIG', 'INVALID_CONTENT'],
  ])('by %s is told as %s', (sqlite, code) => {
    expect(asked(sqlite)).toMatchObject({ code })
  })

  it('about our own SQL, and what is no error of a database, is nothing to tell', () => {
    expect(asked('SQLITE_ERROR')).toBeUndefined()
    expect(databaseFailure(Object.assign(new Error('no'), { code: 'ENOENT' }))).toBeUndefined()
    expect(databaseFailure(undefined)).toBeUndefined()
  })

  it('on a disk that is full changes nothing, and the project goes on', async () => {
    const rig = newRig()
    await using qda = await openQdaForTest({ tools: writeTools(rig) })
    await qda.openProject()
    await qda.call('add_journal', { name: 'Day 1' })
    rig.inTransaction = () => {
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
    }
    expect(await qda.call('add_journal', { name: 'Day 2' })).toMatchObject({
      error_code: 'PROJECT_READ_ONLY',
      error: expect.stringContaining('make room'),
      details: { sqlite: 'SQLITE_FULL' },
    })
    rig.inTransaction = () => {}
    expect(await qda.call('add_journal', { name: 'Day 2' })).toMatchObject({ success: true })
    expect(await qda.call('list_journals')).toMatchObject({ data: ['Day 1', 'Day 2'] })
  })

  it('of files that were moved away or deleted tells to open them where they are', async () => {
    await using qda = await openQdaForTest({ tools: writeTools(newRig()) })
    const path = await qda.openProject()
    await qda.call('add_journal', { name: 'Day 1' })
    const moved = path.replace('Study', 'Moved')
    renameSync(path, moved)
    const answer = await qda.call('add_journal', { name: 'Day 2' })
    expect(answer).toMatchObject({ error_code: 'PROJECT_READ_ONLY', error: expect.stringContaining('open_project') })
    await qda.call('close_project')
    rmSync(join(moved, lockFileName))
    expect(await qda.call('open_project', { path: moved })).toMatchObject({ success: true })
    expect(await qda.call('add_journal', { name: 'Day 2' })).toMatchObject({ success: true })
  })
})
