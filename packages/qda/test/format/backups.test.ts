import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VirtualClock } from '@callboard/worker/testing'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type BackupSource, listBackups, makeBackup } from '../../src/format/backups.js'
import { inspectProject } from '../../src/format/inspect-project.js'
import { restoreBackup } from '../../src/format/restore-backup.js'
import { sideFileName, sideStatements } from '../../src/format/side-schema.js'
import { dumpRows, makeEveryTable } from '../support/every-table.js'
import { failureOf } from '../support/failure-of.js'
import { temporaryFolder } from '../support/temporary-folder.js'

let project: BackupSource
let clock: VirtualClock
let parent: string

beforeEach(() => {
  parent = temporaryFolder()
  clock = new VirtualClock('2026-03-02T12:00:00Z')
  project = openProject(makeEveryTable(join(parent, 'My Study.qda')))
})

function openProject(path: string): BackupSource {
  const connection = new Database(join(path, 'data.qda'), { timeout: 100 })
  onTestFinished(() => void connection.close())
  new Database(join(path, sideFileName)).close()
  connection.prepare('ATTACH ? AS side').run(join(path, sideFileName))
  for (const statement of sideStatements('side')) connection.exec(statement)
  connection.exec(
    "INSERT INTO side.meta VALUES ('project_uid', 'u'); INSERT INTO side.folder (name, created_at) VALUES ('F', 1)",
  )
  return { path, name: 'My Study', connection, hasSide: true, timeZone: 'UTC' }
}

const options = (keep = 10) => ({ keep, clock })

function dumpOf(name: string, file = 'data.qda') {
  return dumpRows(join(parent, name, file))
}

function journalNames(): unknown {
  return project.connection.prepare('SELECT name FROM journal ORDER BY jid').pluck().all()
}

describe('a backup', () => {
  it('is a project beside the project, with all of both databases', async () => {
    const name = await makeBackup(project, options())
    expect(name).toBe('My Study_CB_20260302_120000.qda')
    expect(readdirSync(parent).sort()).toEqual(['My Study.qda', name])
    expect(dumpOf(name)).toEqual(dumpOf('My Study.qda'))
    expect(dumpOf(name, sideFileName)).toEqual(dumpOf('My Study.qda', sideFileName))
    expect(inspectProject(join(parent, name))).toMatchObject({ access: { kind: 'write' }, warnings: [] })
  })

  it('has a name of its own, also in the same second', async () => {
    const names = [await makeBackup(project, options()), await makeBackup(project, options())]
    expect(names).toEqual(['My Study_CB_20260302_120000.qda', 'My Study_CB_20260302_120001.qda'])
  })

  it('leaves out a database of ours that is not there', async () => {
    const name = await makeBackup({ ...project, hasSide: false }, options())
    expect(existsSync(join(parent, name, sideFileName))).toBe(false)
  })

  it('is made while somebody reads, and not while somebody writes', async () => {
    const other = new Database(join(project.path, 'data.qda'))
    other.exec('BEGIN; SELECT * FROM source')
    await makeBackup(project, options())
    other.exec('ROLLBACK; BEGIN EXCLUSIVE')
    const impatient = { ...clock, now: clock.now, monotonic: seconds(), sleepUntil: async () => undefined }
    expect(await failureOf(() => makeBackup(project, { keep: 10, clock: impatient }))).toBe('PROJECT_BUSY')
    other.close()
    expect(readdirSync(parent)).toHaveLength(2)
  })

  it('leaves nothing behind where it can not be made', async () => {
    project.connection.close()
    await expect(makeBackup(project, options())).rejects.toThrow()
    expect(readdirSync(parent)).toEqual(['My Study.qda'])
  })
})

/** A clock that shows another second at each look. */
function seconds(): () => number {
  let now = 0
  return () => {
    now += 1_000
    return now
  }
}

describe('old backups', () => {
  async function makeBackups(count: number, keep: number): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      await makeBackup(project, options(keep))
      clock.advance(60_000)
    }
  }

  const minutes = () => listBackups(project).map(({ createdAt }) => new Date(createdAt).getUTCMinutes())

  it('go where they stand closest together, and the oldest stays', async () => {
    await makeBackups(5, 3)
    expect(minutes()).toEqual([4, 2, 0])
  })

  it('do not go for those of many short sessions', async () => {
    const start = clock.now()
    await makeBackups(1, 3)
    clock.advance(3 * 60 * 60_000)
    await makeBackups(1, 3)
    clock.advance(3 * 60 * 60_000)
    await makeBackups(8, 3)
    const hours = listBackups(project).map(({ createdAt }) => Math.round((createdAt - start) / 3_600_000))
    expect(hours).toEqual([6, 3, 0])
  })

  it('are at least one', async () => {
    await makeBackups(2, 0)
    expect(minutes()).toEqual([1])
  })

  it.each([
    ["QualCoder's own", 'My Study_BKUP_20200101_10.qda'],
    ["another project's", 'Your Study_CB_20200101_100000.qda'],
    ['a backup of a backup', 'My Study_CB_20200101_100000_CB_20200101_100000.qda'],
    ['one with more in its name', 'My Study_CB_20200101_100000 copy.qda'],
    ['one with less in its name', 'My Study_CB_20200101_1000.qda'],
    ['one of a day that was not', 'My Study_CB_20200230_100000.qda'],
  ])('never go with %s', async (_, name) => {
    mkdirSync(join(parent, name))
    writeFileSync(join(parent, name, 'data.qda'), '')
    await makeBackups(2, 1)
    expect(existsSync(join(parent, name, 'data.qda'))).toBe(true)
    expect(minutes()).toEqual([1])
  })

  it.each([
    ['a source', (path: string) => writeFileSync(join(path, 'documents', 'a.txt'), '')],
    ['a file', (path: string) => writeFileSync(join(path, 'pseudonyms.json'), '')],
    ['a change of its data', (path: string) => utimesSync(join(path, 'data.qda'), 1, 1)],
  ])('stay if somebody has worked in them: %s', async (_, work) => {
    const name = await makeBackup(project, options())
    work(join(parent, name))
    clock.advance(60_000)
    await makeBackups(2, 1)
    expect(existsSync(join(parent, name))).toBe(true)
    expect(minutes()).toEqual([2, 0])
  })

  it('are no links to elsewhere', async () => {
    const elsewhere = temporaryFolder()
    writeFileSync(join(elsewhere, 'data.qda'), 'mine')
    const link = join(parent, 'My Study_CB_20200101_100000.qda')
    symlinkSync(elsewhere, link)
    await makeBackups(2, 1)
    expect(existsSync(link)).toBe(true)
    expect(readdirSync(elsewhere)).toEqual(['data.qda'])
    expect(minutes()).toEqual([1])
  })

  it('go with what a crash left half made, an hour later', async () => {
    const [left, recent] = ['1', '2'].map((id) => join(parent, `.My Study_CB_draft_${id}`)) as [string, string]
    for (const [path, age] of [
      [left, 3_700],
      [recent, 60],
    ] as const) {
      mkdirSync(path)
      utimesSync(path, clock.now() / 1000 - age, clock.now() / 1000 - age)
    }
    await makeBackups(1, 10)
    expect([existsSync(left), existsSync(recent)]).toEqual([false, true])
  })
})

it('lists them, newest first, with their sizes', async () => {
  await makeBackup(project, options())
  clock.advance(60_000)
  await makeBackup({ ...project, hasSide: false }, options())
  const [newer, older] = listBackups(project)
  expect([newer?.name, older?.name]).toEqual(['My Study_CB_20260302_120100.qda', 'My Study_CB_20260302_120000.qda'])
  expect(older?.createdAt).toBe(Date.parse('2026-03-02T12:00:00Z'))
  expect(older?.bytes).toBeGreaterThan(newer?.bytes ?? 0)
})

describe('restoring', () => {
  it('brings all back under connections that stay open, and saves what was there', async () => {
    const before = dumpOf('My Study.qda')
    const sideBefore = dumpOf('My Study.qda', sideFileName)
    const names = journalNames()
    const name = await makeBackup(project, options())
    const other = new Database(join(project.path, 'data.qda'))
    const count = other.prepare('SELECT count(*) FROM journal').pluck()
    project.connection.exec('DELETE FROM journal; DELETE FROM side.folder; ALTER TABLE source ADD COLUMN mood TEXT')
    expect(count.get()).toBe(0)
    clock.advance(60_000)
    const savedAs = await restoreBackup(project, name, options())
    expect(dumpOf('My Study.qda')).toEqual(before)
    expect(dumpOf('My Study.qda', sideFileName)).toEqual(sideBefore)
    expect(journalNames()).toEqual(names)
    expect(count.get()).toBe(4)
    expect(dumpOf(savedAs).get('journal')).toEqual([])
    project.connection.exec("INSERT INTO journal (name) VALUES ('goes on'); INSERT INTO side.meta VALUES ('k', 'v')")
    expect(count.get()).toBe(5)
    other.close()
  })

  it('spares the backup, though it be the oldest of those kept', async () => {
    const name = await makeBackup(project, options(1))
    const names = journalNames()
    project.connection.exec('DELETE FROM journal')
    clock.advance(60_000)
    await restoreBackup(project, name, options(1))
    expect(journalNames()).toEqual(names)
  })

  it('from a backup without a database of ours empties it, but for whose it is', async () => {
    const name = await makeBackup({ ...project, hasSide: false }, options())
    clock.advance(60_000)
    await restoreBackup(project, name, options())
    const count = (table: string) => project.connection.prepare(`SELECT count(*) FROM side.${table}`).pluck().get()
    expect([count('folder'), count('meta')]).toEqual([0, 1])
  })

  it.each([
    ['no name', ''],
    ['a path', '../My Study_CB_20260302_120000.qda'],
    ['the project', 'My Study.qda'],
    ["QualCoder's own", 'My Study_BKUP_20200101_10.qda'],
    ["another project's", 'Your Study_CB_20200101_100000.qda'],
    ['one that is not there', 'My Study_CB_20200101_100000.qda'],
  ])('is refused for %s', async (_, name) => {
    mkdirSync(join(parent, 'Your Study_CB_20200101_100000.qda'))
    expect(await failureOf(() => restoreBackup(project, name, options()))).toBe('BACKUP_NOT_FOUND')
  })

  it('is refused from a backup that is damaged, and then changes nothing', async () => {
    const name = await makeBackup(project, options())
    writeFileSync(join(parent, name, 'data.qda'), 'x'.repeat(5_000))
    const before = dumpOf('My Study.qda')
    expect(await failureOf(() => restoreBackup(project, name, options()))).toBe('PROJECT_NOT_OPENED/NOT_QUALCODER')
    expect(dumpOf('My Study.qda')).toEqual(before)
    expect(listBackups(project)).toHaveLength(1)
  })

  it('waits for who reads, and in the end does nothing', async () => {
    const name = await makeBackup(project, options())
    project.connection.exec('DELETE FROM journal')
    const reader = new Database(join(project.path, 'data.qda'))
    reader.exec('BEGIN')
    reader.prepare('SELECT * FROM source').all()
    const impatient = { ...clock, now: clock.now, monotonic: seconds(), sleepUntil: async () => undefined }
    expect(await failureOf(() => restoreBackup(project, name, { keep: 10, clock: impatient }))).toBe('PROJECT_BUSY')
    reader.close()
    expect(journalNames()).toEqual([])
    expect(project.connection.pragma('integrity_check', { simple: true })).toBe('ok')
  })
})
