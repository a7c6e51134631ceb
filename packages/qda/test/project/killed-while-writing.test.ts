import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { createProjectFolder } from '../../src/format/create-project-folder.js'
import { lockFileName } from '../../src/format/project-lock.js'
import { passing } from '../support/passing.js'
import { openQdaForTest } from '../support/whole-qda.js'

const program = fileURLToPath(new URL('../support/write-journals.mjs', import.meta.url))
const rowsPerBatch = 800
const folders: string[] = []
const children: ChildProcess[] = []

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function newProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'qda-killed-'))
  folders.push(folder)
  const path = join(folder, 'Study.qda')
  createProjectFolder({ path, name: 'Study' }, { coder: 'ada', now: 0 })
  return path
}

/** The marks that the program has written: dots and `u` within a batch, `c` before a commit, `!` after it. */
async function killedAt(path: string, isMoment: (marks: string) => boolean, turns = 0): Promise<string> {
  // It is the same machine that wrote it: nobody has the project any more.
  rmSync(join(path, lockFileName), { force: true })
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const exited = once(child, 'exit')
  let marks = ''
  child.stdout.setEncoding('utf8')
  for await (const some of child.stdout) {
    marks += some
    if (!isMoment(marks)) continue
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    break
  }
  child.kill('SIGKILL')
  const [code, signal] = await exited
  expect([code, signal]).toEqual([null, 'SIGKILL'])
  return marks
}

/** Of both files, as whoever opens them next finds them. */
function contentOf(path: string) {
  const db = new Database(join(path, 'data.qda'))
  try {
    db.prepare('ATTACH ? AS side').run(join(path, 'callboard.sqlite'))
    const count = (sql: string) => db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get() as number
    return {
      journals: count('main.journal'),
      folders: count('side.folder'),
      changes: count('side.change'),
      sets: count('side.change_set'),
      states: [
        count('(SELECT DISTINCT owner FROM main.journal)'),
        count('(SELECT DISTINCT parent_id FROM side.folder)'),
      ],
      agree: db
        .prepare('SELECT max(owner + 0) IS (SELECT max(parent_id) FROM side.folder) FROM main.journal')
        .pluck()
        .get(),
      unmatched: count('main.journal WHERE name NOT IN (SELECT name FROM side.folder)'),
      health: ['main', 'side'].map((schema) => db.pragma(`${schema}.integrity_check`, { simple: true })),
    }
  } finally {
    db.close()
  }
}

function expectWhole(path: string): number {
  const { journals, ...others } = contentOf(path)
  const states = journals === 0 ? 0 : 1
  expect(journals % rowsPerBatch).toBe(0)
  expect(others).toEqual({
    folders: journals,
    changes: 2 * journals,
    sets: journals / rowsPerBatch,
    states: [states, states],
    agree: 1,
    unmatched: 0,
    health: ['ok', 'ok'],
  })
  return journals / rowsPerBatch
}

describe('a worker that is killed in a batch', () => {
  it('leaves all of it or nothing, in both files, at whatever moment', async () => {
    const path = await newProject()
    const kinds = ['.', 'u', 'uu', 'c']
    let hadJournal = 0
    let batches = 0
    for (let round = 1; round <= 12; round += 1) {
      const kind = kinds[round % kinds.length]!
      await killedAt(path, (marks) => /!/.test(marks) && marks.endsWith(kind), 4 ** Math.floor(round / kinds.length))
      if (existsSync(join(path, 'data.qda-journal'))) hadJournal += 1
      const now = expectWhole(path)
      expect(now).toBeGreaterThanOrEqual(batches)
      batches = now
    }
    // Else it was never killed in the middle of anything.
    expect(hadJournal).toBeGreaterThan(0)
  })

  it('leaves a project that opens, and can be written to', async () => {
    const path = await newProject()
    await killedAt(path, (marks) => /!\.{5}/.test(marks))
    await using qda = await openQdaForTest()
    qda.clock.set(Date.now() + 60_000)
    expect(await qda.call('open_project', { path })).toMatchObject({ success: true, read_only: false })
    expect(await qda.call('create_folder', { name: 'Wave 1' })).toMatchObject({ success: true })
    expect(contentOf(path)).toMatchObject({ journals: rowsPerBatch, folders: rowsPerBatch + 1, sets: 2 })
  })
})

describe('another program that writes', () => {
  it('at the same time waits or is waited for, and neither tears the other', async () => {
    const path = await newProject()
    await using qda = await openQdaForTest()
    await qda.call('open_project', { path })
    const other = new Database(join(path, 'data.qda'))
    const answers: unknown[] = []
    for (let round = 0; round < 4; round += 1) {
      other.exec('BEGIN IMMEDIATE')
      other.prepare('INSERT INTO code_name (name) VALUES (?)').run(`theirs ${round}`)
      const ours = qda.call('create_folder', { name: `ours ${round}` })
      // Every other time it holds the project for longer than anybody waits.
      if (round % 2 === 0) await passing(qda.clock, ours)
      other.exec('COMMIT')
      await passing(qda.clock, ours)
      const { error_code = 'success' } = await ours
      answers.push(error_code)
    }
    expect(answers).toEqual(['PROJECT_BUSY', 'success', 'PROJECT_BUSY', 'success'])
    other.close()
    const db = new Database(join(path, 'callboard.sqlite'))
    expect(db.prepare('SELECT name FROM folder ORDER BY id').pluck().all()).toEqual(['ours 1', 'ours 3'])
    expect(db.prepare('SELECT count(*) FROM change_set').pluck().get()).toBe(2)
    db.close()
    expect(qda.db(path).prepare('SELECT count(*) FROM code_name').pluck().get()).toBe(4)
  })
})
