import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { VirtualClock } from '@callboard/worker/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeEveryTable } from '../support/every-table.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { everyRead, everyWrite, type NamedCall } from './support/every-call.js'
import { projectState } from './support/project-state.js'

const ids = { source: 1, code: 1, otherCode: 2, category: 1, segment: 1, journal: 1, case: 1 }
const calls: readonly NamedCall[] = [...everyRead(ids), ...everyWrite(ids)]

describe('a database with pages that are damaged', () => {
  it('is refused or answered, and the worker goes on', async () => {
    await using qda = await openQdaForTest()
    const good = await qda.openProject('Good')
    const path = makeEveryTable(join(qda.folder, 'Bad.qda'))
    const file = join(path, 'data.qda')
    const whole = readFileSync(file)
    const flip = fc.tuple(fc.nat(whole.length - 101), fc.integer({ min: 1, max: 255 }))
    const property = fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 200 }), async (flips) => {
      const bytes = Buffer.from(whole)
      for (const [at, mask] of flips) bytes[at + 100] = bytes[at + 100]! ^ mask
      for (const name of ['callboard.sqlite', 'data.qda-journal', 'callboard.sqlite-journal'])
        rmSync(join(path, name), { force: true })
      writeFileSync(file, bytes)
      await expectAnswers(qda, path, 'bad')
      await qda.call('close_project', {}, { session: 'bad' })
      expect(await qda.call('get_project_context')).toMatchObject({ data: { project_path: good } })
    })
    await fc.assert(property, { numRuns: 8, seed: 3 })
    expect(qda.link.internalErrors).toEqual([])
  }, 120_000)
})

describe('a database that is whole and hostile', () => {
  it.each([
    ['categories and codes in rings', rings],
    ['rows that name what is not there', dangling],
    [
      'no views',
      'DROP VIEW code_text_visible; DROP VIEW code_image_visible; DROP VIEW code_av_visible; DROP VIEW annotation_visible',
    ],
    [
      'views that never end',
      `DROP VIEW code_text_visible; CREATE VIEW code_text_visible AS
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM n`,
    ],
    [
      'an index of an expression',
      'CREATE INDEX i ON code_text (abs(ctid), json_extract(memo, seltext)) WHERE memo > 0',
    ],
    ['a column more, which must have a value', "ALTER TABLE code_text ADD COLUMN more NOT NULL DEFAULT 'x'"],
    ['a computed column', 'ALTER TABLE source ADD COLUMN more AS (length(fulltext) * 2)'],
    ['a check that nothing passes', check],
    ['no rows of a project', 'UPDATE project SET memo = memo; DELETE FROM project WHERE 0'],
    ['two rows of a project', 'INSERT INTO project SELECT * FROM project'],
    ['a table of coders without them', 'DELETE FROM coder_names'],
    ['everybody hidden', 'UPDATE coder_names SET visibility = 0'],
  ])('answers every call with %s', async (_, sql) => {
    await using qda = await openQdaForTest()
    const path = filled(qda, sql)
    await expectAnswers(qda, path, 'session-1')
    expect(qda.link.internalErrors).toEqual([])
  })

  it.each([
    ['before it is opened', true],
    ['while it is open', false],
  ])('is not written where it has a trigger: made %s', async (_, isBefore) => {
    await using qda = await openQdaForTest()
    const trigger = 'CREATE TRIGGER t AFTER INSERT ON code_name BEGIN DELETE FROM source; END'
    const path = filled(qda, isBefore ? trigger : 'SELECT 1')
    await qda.call('open_project', { path })
    if (!isBefore) qda.db(path).exec(trigger)
    const before = projectState(path)
    expect(await qda.call('create_code', { name: 'New' })).toMatchObject({ error_code: 'PROJECT_READ_ONLY' })
    expect(projectState(path)).toEqual(before)
  })

  it('writes a memo to the first row that describes it alone', async () => {
    await using qda = await openQdaForTest()
    const path = filled(qda, "INSERT INTO project (about, memo) VALUES ('QualCoder', 'second')")
    await qda.call('open_project', { path })
    const { change_set_id: id } = (await qda.call('set_memo', { kind: 'project', memo: 'mine' }))['data']
    const memos = () => qda.db(path).prepare('SELECT memo FROM project ORDER BY rowid').pluck().all()
    expect(memos()).toEqual(['mine', 'second'])
    await qda.call('undo_change_set', { change_set_id: id })
    expect(memos()).toEqual(['', 'second'])
  })
})

describe('a text of 50 MB', () => {
  it('is read, searched and coded like any other', async () => {
    await using qda = await openQdaForTest()
    const path = filled(qda, 'SELECT 1')
    qda.db(path).prepare('UPDATE source SET fulltext = ? WHERE id = 1').run('Ada: a \u{1F600} b\n'.repeat(4_000_000))
    await expectAnswers(qda, path, 'session-1')
    expect(qda.link.internalErrors).toEqual([])
  }, 120_000)
})

describe('links in a project’s folder', () => {
  it.each(['data.qda', 'callboard.sqlite'])('%s is no link to a file elsewhere', async (name) => {
    await using qda = await openQdaForTest()
    const elsewhere = filled(qda, 'SELECT 1')
    const path = filled(qda, 'SELECT 1', 'Linked')
    const target = join(elsewhere, 'data.qda')
    const before = readFileSync(target)
    rmSync(join(path, name), { force: true })
    symlinkSync(target, join(path, name))
    const answer = await qda.call('open_project', { path })
    expect(answer['error_code']).toMatch(/^PROJECT_NOT_OPENED\//)
    expect(readFileSync(target).equals(before)).toBe(true)
  })

  it('a side file that is a link to nothing makes no file there', async () => {
    await using qda = await openQdaForTest()
    const path = filled(qda, 'SELECT 1')
    const nowhere = join(qda.folder, 'nowhere.sqlite')
    symlinkSync(nowhere, join(path, 'callboard.sqlite'))
    expect(await qda.call('open_project', { path })).toMatchObject({ success: false })
    expect(existsSync(nowhere)).toBe(false)
  })

  it('a lock that is a link is not written through', async () => {
    await using qda = await openQdaForTest()
    const path = filled(qda, 'SELECT 1')
    const victim = join(qda.folder, 'victim.txt')
    writeFileSync(victim, 'theirs')
    symlinkSync(victim, join(path, 'project_in_use.lock'))
    await qda.call('open_project', { path })
    await qda.call('create_code', { name: 'New' })
    qda.clock.advance(40_000)
    await qda.call('open_project', { path })
    await qda.call('create_code', { name: 'Newer' })
    expect(readFileSync(victim, 'utf8')).toBe('theirs')
  })
})

describe('a pattern that takes for ever', () => {
  it('ends in a timeout while others are answered', async () => {
    await using qda = await openQdaForTest({ config: { regex_timeout_ms: 300 } })
    const path = filled(qda, "UPDATE source SET fulltext = printf('%.*c', 50000, 'a') || '!'")
    await qda.call('open_project', { path })
    await qda.call('open_project', { path }, { session: 'other' })
    const slow = qda.call('search_text', { pattern: '(a+)+$', match: 'regex' })
    const slower = qda.call('auto_code_pattern', { code_id: 1, pattern: '(a|aa)+$', match: 'regex' })
    expect(await qda.call('list_codes', {}, { session: 'other' })).toMatchObject({ success: true })
    expect(await qda.call('create_code', { name: 'Meanwhile' }, { session: 'other' })).toMatchObject({ success: true })
    await expiring(qda.clock, Promise.all([slow, slower]))
    expect(await slow).toMatchObject({ error_code: 'PATTERN_TIMEOUT' })
    expect(await slower).toMatchObject({ error_code: 'PATTERN_TIMEOUT' })
    expect(await qda.call('search_text', { pattern: 'a!', match: 'regex' })).toMatchObject({ success: true })
  })

  it('codes no more matches than a call may', async () => {
    await using qda = await openQdaForTest()
    const path = filled(qda, "UPDATE source SET fulltext = printf('%.*c', 300000, 'a')")
    await qda.call('open_project', { path })
    const before = projectState(path)
    const answer = await qda.call('auto_code_pattern', { code_id: 1, pattern: 'a', confirm: true })
    expect(answer['success']).toBe(false)
    expect(answer['error_code']).not.toBe('INTERNAL')
    expect(projectState(path)).toEqual(before)
  })
})

/** Time goes on, until the work is settled, whenever somebody waits for a search and nothing else. */
async function expiring(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  work.then(settled, settled)
  while (!isSettled) {
    await nextTurn()
    if ((clock.nextWake ?? Number.POSITIVE_INFINITY) <= clock.now() + 300) clock.advance(300)
  }
}

async function expectAnswers(qda: QdaForTest, path: string, session: string): Promise<void> {
  const opened = await qda.call('open_project', { path }, { session })
  expect(opened['error_code']).not.toBe('INTERNAL')
  if (opened['success'] !== true) return
  for (const [tool, args] of calls) {
    const answer = await qda.call(tool, args, { session })
    expect([tool, typeof answer['success']]).toEqual([tool, 'boolean'])
    expect([tool, answer['error_code']]).not.toEqual([tool, 'INTERNAL'])
  }
}

/** With three of everything, and what the SQL makes of it. */
function filled(qda: QdaForTest, sql: string, name?: string): string {
  const path = qda.makeProject(name)
  const db = qda.db(path)
  for (let row = 1; row <= 3; row += 1) {
    db.exec(`INSERT INTO source (id, name, fulltext, owner, date) VALUES (${row}, 's${row}', 'one a text. Ada: b', 'ada', 'x');
      INSERT INTO code_cat (catid, name, owner) VALUES (${row}, 'k${row}', 'ada');
      INSERT INTO code_name (cid, name, owner, color) VALUES (${row}, 'c${row}', 'ada', '#FFFFFF');
      INSERT INTO code_text (ctid, cid, fid, pos0, pos1, seltext, owner) VALUES (${row}, ${row}, 1, 0, 3, 'one', 'ada');
      INSERT INTO cases (caseid, name) VALUES (${row}, 'p${row}');
      INSERT INTO case_text (id, caseid, fid, pos0, pos1) VALUES (${row}, ${row}, 1, 0, 5);
      INSERT INTO journal (jid, name, jentry) VALUES (${row}, 'j${row}', 'entry')`)
  }
  db.exec("INSERT OR IGNORE INTO coder_names (name, visibility) VALUES ('ada', 1)")
  db.exec(sql)
  return path
}

const rings = `UPDATE code_cat SET supercatid = catid % 3 + 1; UPDATE code_name SET supercid = cid % 3 + 1, catid = 1;
  UPDATE source SET av_text_id = id % 3 + 1`
const dangling = `UPDATE code_text SET cid = ctid + 90, fid = CASE WHEN ctid = 1 THEN 1 ELSE 98 END; UPDATE code_name SET catid = 97 WHERE cid = 2;
  UPDATE code_name SET supercid = 96 WHERE cid = 3; UPDATE source SET av_text_id = 95; UPDATE case_text SET fid = 94, caseid = 93 WHERE id > 1;
  UPDATE code_cat SET supercatid = 92`
const check = "ALTER TABLE code_name ADD COLUMN more CHECK (name NOT LIKE 'Made%' AND memo IS NULL)"
