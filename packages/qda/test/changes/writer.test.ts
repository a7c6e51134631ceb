import { describe, expect, it } from 'vitest'
import { rowOf } from '../../src/changes/row-image.js'
import { openDatabase, writerIn } from '../support/open-database.js'

function recorded(db: ReturnType<typeof openDatabase>, set: string) {
  return db
    .all<{ tbl: string; row_key: unknown; before: string | null; after: string | null }>(
      'SELECT tbl, row_key, before, after FROM side.change WHERE set_id = ? ORDER BY n',
      set,
    )
    .map(({ tbl, row_key, before, after }) => ({
      table: tbl,
      key: row_key,
      before: before === null ? null : rowOf(before),
      after: after === null ? null : rowOf(after),
    }))
}

describe('a writer', () => {
  it('records a new row with its key', () => {
    const db = openDatabase()
    const writer = writerIn(db)
    const key = writer.insert('code_name', { name: 'Pride', color: '#F7D358' })
    expect(db.get('SELECT name, color FROM main.code_name WHERE cid = ?', key as number)).toEqual({
      name: 'Pride',
      color: '#F7D358',
    })
    expect(recorded(db, writer.act.changeSetId)).toEqual([
      { table: 'code_name', key, before: null, after: { name: 'Pride', color: '#F7D358', cid: key } },
    ])
  })

  it('records of an update only what differs', () => {
    const db = openDatabase()
    const key = writerIn(db).insert('code_name', { name: 'Pride', memo: 'old', color: '#F7D358' })
    const writer = writerIn(db)
    expect(writer.update('code_name', key, { name: 'Pride', memo: 'new' })).toBe(true)
    expect(recorded(db, writer.act.changeSetId)).toEqual([
      { table: 'code_name', key, before: { memo: 'old' }, after: { memo: 'new' } },
    ])
  })

  it('records nothing where nothing differs, or there is no row', () => {
    const db = openDatabase()
    const key = writerIn(db).insert('code_name', { name: 'Pride' })
    const writer = writerIn(db)
    expect(writer.update('code_name', key, { name: 'Pride' })).toBe(false)
    expect(writer.update('code_name', 999, { name: 'Fear' })).toBe(false)
    expect(writer.delete('code_name', 999)).toBe(false)
    expect(writer.changes).toBe(0)
    expect(recorded(db, writer.act.changeSetId)).toEqual([])
  })

  it('records a deleted row whole, with bytes and large numbers as they were', () => {
    const db = openDatabase()
    db.run('INSERT INTO main.code_av (avid, id, pos0, memo) VALUES (7, 1, 2, ?)', Buffer.from([0, 255]))
    const writer = writerIn(db)
    expect(writer.deleteWhere('code_av', 'id = ?', 1)).toBe(1)
    const [change] = recorded(db, writer.act.changeSetId)
    expect(change).toMatchObject({ table: 'code_av', key: 7, after: null })
    expect(change?.before).toMatchObject({ avid: 7, id: 1, pos0: 2, memo: Buffer.from([0, 255]), cid: null })
  })

  it('leaves out columns that an older project does not have', () => {
    const db = openDatabase(['code_name.supercid'])
    const writer = writerIn(db)
    const key = writer.insert('code_name', { name: 'Pride', supercid: 3 })
    writer.update('code_name', key, { supercid: 4 })
    expect(db.value('SELECT supercid FROM main.code_name')).toBeNull()
    expect(recorded(db, writer.act.changeSetId)).toEqual([
      { table: 'code_name', key, before: null, after: { name: 'Pride', cid: key } },
    ])
  })

  it('puts the coder among those of the project, once', () => {
    const db = openDatabase()
    const writer = writerIn(db)
    expect(writer.coder()).toBe('AI Agent (ada)')
    expect(writer.coder()).toBe('AI Agent (ada)')
    writerIn(db).coder()
    expect(db.all('SELECT name, visibility FROM main.coder_names')).toEqual([{ name: 'AI Agent (ada)', visibility: 1 }])
  })

  it('writes the one row of a table that has no key', () => {
    const db = openDatabase()
    db.run("INSERT INTO main.project (databaseversion, memo) VALUES ('v17', 'old')")
    const writer = writerIn(db)
    expect(writer.update('project', 1, { memo: 'new' })).toBe(true)
    expect(db.get('SELECT databaseversion, memo FROM main.project')).toEqual({ databaseversion: 'v17', memo: 'new' })
  })
})
