import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { projectState, sideState } from './support/project-state.js'

const operator = { session: 'desk', principal: 'operator:olga', roles: ['operator'] } as const

interface Recorded {
  readonly table: unknown
  readonly key?: unknown
  readonly before?: unknown
  readonly after?: unknown
}

describe('a history that somebody else wrote', () => {
  it.each<[string, Recorded]>([
    ['a table that is SQL', { table: 'source"; DROP TABLE source; --', key: 1, before: { id: 1 } }],
    ['a table of ours that nobody records', { table: 'suggestion', key: 'x', before: { id: 'x', status: 'approved' } }],
    ['the schema', { table: 'sqlite_master', key: 1, before: { name: 'x' }, after: { name: 'y' } }],
    ['a table without a key', { table: 'ris', key: 1, after: {} }],
    ['the project’s own row, removed', { table: 'project', key: 1, after: {} }],
    ['the project’s own row, once more', { table: 'project', key: 1, before: { about: 'QualCoder' } }],
    [
      'a column that is SQL',
      { table: 'code_name', key: 1, before: { 'name" = 1; --': 1 }, after: { 'name" = 1; --': 2 } },
    ],
    ['a column that our table has not', { table: 'folder', key: 1, before: { nothing: 1 }, after: { nothing: 2 } }],
    ['a value that is none', { table: 'code_name', key: 1, before: { name: { blob: 7 } }, after: { name: [] } }],
    ['no images', { table: 'code_name', key: 1 }],
    ['an image that is no object', { table: 'code_name', key: 1, before: 'x', after: 7 }],
    ['an image that is no JSON', { table: 'code_name', key: 1, before: Buffer.from('{') }],
    ['a key that is none', { table: 'code_name', key: Buffer.from([1]), before: { cid: 1 } }],
    ['a table that is a prototype', { table: '__proto__', key: 1, before: { id: 1 } }],
    ['a table that is a number', { table: 7, key: 1, before: { id: 1 } }],
  ])('undoes nothing of %s', async (_, recorded) => {
    await using qda = await openQdaForTest()
    const { path, id } = await historyOf(qda, recorded)
    const before = [projectState(path), sideState(path)]
    const answer = await qda.call('undo_change_set', { change_set_id: id })
    expect(answer).toMatchObject({ data: { undone: 0, skipped: [{ reason: 'its record makes no sense' }] } })
    expect([projectState(path), sideState(path)]).toEqual(before)
  })

  it.each([
    ['../outside.txt', 'callboard_trash/x/documents/a.txt'],
    ['documents/../../outside.txt', 'callboard_trash/x/documents/a.txt'],
    ['documents/a.txt', '../victim.txt'],
    ['documents/a.txt', 'callboard_trash/../../victim.txt'],
    ['documents/a.txt', 'callboard_trash/../documents/../../victim.txt'],
    ['documents/a.txt', 'data.qda'],
    ['data.qda', 'callboard_trash/x/documents/a.txt'],
    ['callboard.sqlite', 'callboard_trash/x/documents/a.txt'],
    ['documents/a\0.txt', 'callboard_trash/x/documents/a.txt'],
    ['documents/a.txt', '/etc/hostname'],
    ['documents/.', 'callboard_trash/x/documents/..'],
  ])('moves no file to %s from %s', async (to, from) => {
    await using qda = await openQdaForTest()
    writeFileSync(join(qda.folder, 'victim.txt'), 'theirs')
    const { path, id } = await historyOf(qda, { table: 'file', key: to, before: { path: to }, after: { path: from } })
    mkdirSync(join(path, 'callboard_trash/x/documents'), { recursive: true })
    writeFileSync(join(path, 'callboard_trash/x/documents/a.txt'), 'ours')
    const before = readdirSync(qda.folder, { recursive: true }).filter(isNoBackup).toSorted()
    const answer = await qda.call('undo_change_set', { change_set_id: id })
    expect(answer).toMatchObject({ data: { undone: 0, skipped: [{ table: 'file' }] } })
    const after = readdirSync(qda.folder, { recursive: true }).filter(isNoBackup).toSorted()
    expect(after).toEqual(before)
  })
})

describe('files that move with a source', () => {
  it('follow no link that leads out of the project', async () => {
    await using qda = await openQdaForTest()
    const path = await qda.openProject()
    const outside = join(qda.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.txt'), 'theirs')
    rmSync(join(path, 'documents'), { recursive: true })
    symlinkSync(outside, join(path, 'documents'))
    addFileSource(qda, path, 'secret.txt')
    expect(await qda.call('remove_source', { source_id: 1, confirm: true })).toMatchObject({ success: true })
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('theirs')
  })

  it('do not leave the project by a trash that is a link', async () => {
    await using qda = await openQdaForTest()
    const path = await qda.openProject()
    const outside = join(qda.folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(path, 'callboard_trash'))
    writeFileSync(join(path, 'documents/mine.txt'), 'mine')
    addFileSource(qda, path, 'mine.txt')
    expect(await qda.call('remove_source', { source_id: 1, confirm: true })).toMatchObject({ success: true })
    expect(readdirSync(outside)).toEqual([])
    expect(readFileSync(join(path, 'documents/mine.txt'), 'utf8')).toBe('mine')
  })

  it('overwrite nothing that has their name by now', async () => {
    await using qda = await openQdaForTest()
    const path = await qda.openProject()
    const file = join(path, 'documents/mine.txt')
    writeFileSync(file, 'old')
    addFileSource(qda, path, 'mine.txt')
    const { change_set_id: id } = await qda.call('remove_source', { source_id: 1, confirm: true })
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, 'new')
    await qda.call('undo_change_set', { change_set_id: id })
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(readFileSync(join(path, 'callboard_trash', id, 'documents/mine.txt'), 'utf8')).toBe('old')
  })
})

describe('a side file that somebody else wrote', () => {
  it.each([
    ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON change BEGIN DELETE FROM folder; END'],
    ['a view in place of a table', 'DROP TABLE folder; CREATE VIEW folder AS SELECT 1 AS id'],
    ['a table of another shape', 'DROP TABLE folder; CREATE TABLE folder (id)'],
    ['a table more', 'CREATE TABLE more (id)'],
  ])('is refused with %s', async (_, sql) => {
    await using qda = await openQdaForTest()
    const path = await preparedProject(qda, (side) => side.exec(sql))
    expect(await qda.call('open_project', { path })).toMatchObject({
      error_code: 'PROJECT_NOT_OPENED/DB_OPEN_FAILED',
      error: expect.stringContaining('callboard.sqlite'),
    })
  })

  it('is refused where it is no database at all', async () => {
    await using qda = await openQdaForTest()
    const path = await preparedProject(qda, () => undefined)
    writeFileSync(join(path, 'callboard.sqlite'), 'x'.repeat(5_000))
    expect(await qda.call('open_project', { path })).toMatchObject({ error_code: 'PROJECT_NOT_OPENED/DB_OPEN_FAILED' })
  })

  it('may have anything in its rows: every call is answered, and what makes no sense suggests nothing', async () => {
    await using qda = await openQdaForTest()
    const path = await preparedProject(qda, (side) => fillSide(side))
    expect(await qda.call('open_project', { path })).toMatchObject({ success: true })
    const calls: [string, object][] = [
      ['get_project_context', {}],
      ['list_sources', {}],
      ['list_folders', {}],
      ['list_pending', {}],
      ['get_suggestion', { id: 'bad json' }],
      ['withdraw_suggestion', { id: 'bad json' }],
      ['list_changes', {}],
      ['undo_change_set', { change_set_id: 'odd' }],
      ['create_folder', { name: 'a', request_id: 'bad reply' }],
      ['rename_folder', { folder_id: 1, new_name: 'b' }],
      ['move_source_to_folder', { source_id: 1, folder_id: 1 }],
      [
        'batch_apply_codes',
        { operations: [{ code_id: 1, source_id: 1, start_position: 0, end_position: 1, importance: 3 }] },
      ],
      ['list_segments_for_source', { source_id: 1 }],
      ['suggest_source_metadata', { source_id: 1, language: 'en' }],
      ['delete_folder', { folder_id: 1 }],
      ['remove_source', { source_id: 1, confirm: true }],
    ]
    for (const [tool, args] of calls) {
      const { error_code: code } = await qda.call(tool, args)
      expect([tool, code]).not.toEqual([tool, 'INTERNAL'])
    }
    expect(await qda.call('list_suggestions', {}, operator)).toMatchObject({ success: true })
    expect(qda.link.internalErrors).toEqual([])
  })

  it('approves no tool but those that agents may suggest', async () => {
    await using qda = await openQdaForTest()
    const path = await preparedProject(qda, (side) => {
      const insert = side.prepare(
        `INSERT INTO suggestion (id, kind, tool, payload, fingerprints, actor, created_at, status)
         VALUES (?, 'source_metadata', ?, ?, 'x', 'agent:main', 1, 'pending')`,
      )
      insert.run('one', 'approve_suggestion', '{"id":"two"}')
      insert.run('two', 'create_project', JSON.stringify({ path: '/tmp/nowhere.qda' }))
      insert.run('three', 'create_code', JSON.stringify({ name: 'Forged' }))
    })
    await qda.call('open_project', { path })
    for (const id of ['one', 'two', 'three']) {
      const answer = await qda.call('approve_suggestion', { id }, operator)
      expect([id, answer['data']?.status === 'stale' || answer['error_code']]).not.toEqual([id, undefined])
    }
    // Its fingerprint is not that of what it would change.
    expect(projectState(path)['code_name']).toHaveLength(1)
  })
})

const isNoBackup = (name: unknown): boolean => !String(name).includes('_CB_')

/** A project with a change set of the agent's own that has this record. */
async function historyOf(qda: QdaForTest, { table, key = null, before, after }: Recorded) {
  const path = await qda.openProject()
  await qda.call('create_code', { name: 'Hope' })
  const { change_set_id: id } = await qda.call('create_folder', { name: 'First' })
  const side = new Database(join(path, 'callboard.sqlite'))
  const image = (value: unknown) =>
    value === undefined ? null : Buffer.isBuffer(value) ? value.toString() : JSON.stringify(value)
  side.prepare('DELETE FROM change WHERE set_id = ?').run(id)
  side.prepare('INSERT INTO change VALUES (?, 1, ?, ?, ?, ?)').run(id, table, key ?? 0, image(before), image(after))
  side.close()
  return { path, id: id as string }
}

function addFileSource(qda: QdaForTest, path: string, name: string): void {
  qda
    .db(path)
    .prepare(
      "INSERT INTO source (id, name, fulltext, mediapath, owner, date) VALUES (1, ?, 'x', ?, 'ada', '2026-01-01')",
    )
    .run(name, `/docs/${name}`)
}

/** Closed; with a side file that `prepare` has changed. */
async function preparedProject(qda: QdaForTest, prepare: (side: Database.Database) => void): Promise<string> {
  const path = await qda.openProject()
  await qda.call('add_text_source', { name: 'a.txt', content: 'abc' })
  await qda.call('create_code', { name: 'Hope' })
  await qda.call('create_folder', { name: 'First' })
  await qda.call('close_project')
  const side = new Database(join(path, 'callboard.sqlite'))
  prepare(side)
  side.close()
  return path
}

const odd = [
  Buffer.from([255, 0]),
  'no json {',
  '[1',
  'null',
  Number.POSITIVE_INFINITY,
  -1.5,
  '9'.repeat(400),
  '{"a":',
  '7',
]

function fillSide(side: Database.Database): void {
  for (const [index, value] of odd.entries()) {
    const id = 1_000 + index
    const add = (sql: string, ...values: unknown[]) => side.prepare(`INSERT OR IGNORE INTO ${sql}`).run(...values)
    add('folder (id, name, parent_id, created_at) VALUES (?, ?, ?, ?)', id, value, value, value)
    add(
      'source_meta (source_id, fp, folder_id, status, origin, language, topics, guid) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[id, value, value, value, value, value, value, value],
    )
    add(
      'coding_meta (kind, row_id, fp, importance, guid) VALUES (?, ?, ?, ?, ?)',
      'text',
      index + 1,
      value,
      value,
      value,
    )
    add(
      'change_set VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      id,
      `odd ${id}`,
      ...[value, value, value, value, value, value, value, value],
    )
    add('change VALUES (?, ?, ?, ?, ?, ?)', `odd ${id}`, index, value, value, value, value)
    add(
      'suggestion (id, kind, tool, payload, fingerprints, actor, rationale, about, created_at, status, decided_by, decided_at, reason, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[
        `odd ${id}`,
        value,
        value,
        value,
        value,
        'agent:main',
        value,
        value,
        value,
        'pending',
        value,
        value,
        value,
        value,
      ],
    )
  }
  side
    .prepare('UPDATE source_meta SET fp = fp, status = ?, origin = ?, language = ?, topics = ? WHERE source_id = 1')
    .run('strange', Buffer.from([1]), Buffer.from([2]), '{"a":1}')
  side.prepare("INSERT INTO change_set VALUES (90, 'odd', 'x', 'agent:main', 'x', 's', 9e18, NULL, NULL, NULL)").run()
  side
    .prepare(
      "INSERT INTO suggestion (id, kind, tool, payload, fingerprints, actor, rationale, created_at, status, decided_by, decided_at, reason, result) VALUES ('bad json', 'x', 'create_code', '{', 'x', 'agent:main', NULL, 1, 'pending', NULL, NULL, NULL, NULL)",
    )
    .run()
  side.prepare("UPDATE meta SET value = x'00ff'").run()
  side.prepare("INSERT INTO request VALUES ('agent:main', 'create_folder', 'bad reply', 'x', '{', 9e15)").run()
}
