import { describe, expect, it } from 'vitest'
import { finishChangeSet } from '../../src/changes/change-sets.js'
import { undoChangeSet } from '../../src/changes/undo.js'
import type { Writer } from '../../src/changes/writer.js'
import type { ProjectDatabase } from '../../src/project/project-database.js'
import { openDatabase, writerIn } from '../support/open-database.js'

/** Does it as a change set, and tells its id. */
function change(db: ProjectDatabase, work: (writer: Writer) => void): string {
  const writer = writerIn(db)
  work(writer)
  return finishChangeSet(writer, 'session')!
}

function undo(db: ProjectDatabase, id: string) {
  const writer = writerIn(db)
  const { undone, skipped, id_map } = undoChangeSet(writer, id)
  return { undone, skipped, id_map, set: finishChangeSet(writer, 'session') }
}

/** The same, and that the one was undone by the other is written down. */
function undoAs(db: ProjectDatabase, id: string): string {
  const writer = writerIn(db)
  undoChangeSet(writer, id)
  writer.undoes = id
  return finishChangeSet(writer, 'session')!
}

const undoneBy = (db: ProjectDatabase) =>
  db.all<{ undone_by: string | null }>('SELECT undone_by FROM side.change_set ORDER BY seq').map((set) => set.undone_by)

const rows = (db: ProjectDatabase, table: string) => db.all(`SELECT * FROM main.${table} ORDER BY 1`)

describe('undo', () => {
  it('takes new rows away, puts deleted ones back under their ids, and changes changed ones back', () => {
    const db = openDatabase()
    change(db, (writer) => {
      writer.insert('code_name', { name: 'Pride', memo: 'first' })
      writer.insert('code_name', { name: 'Fear' })
    })
    const before = rows(db, 'code_name')
    const id = change(db, (writer) => {
      writer.insert('code_name', { name: 'Burden' })
      writer.update('code_name', 1, { memo: 'second' })
      writer.delete('code_name', 2)
    })
    expect(undo(db, id)).toMatchObject({ undone: 3, skipped: [], id_map: [] })
    expect(rows(db, 'code_name')).toEqual(before)
  })

  it('can be undone itself, which does it again', () => {
    const db = openDatabase()
    const id = change(db, (writer) => writer.insert('code_name', { name: 'Pride' }))
    const after = rows(db, 'code_name')
    const { set } = undo(db, id)
    expect(rows(db, 'code_name')).toEqual([])
    undo(db, set!)
    expect(rows(db, 'code_name')).toEqual(after)
  })

  it('leaves what was changed since, and says so', () => {
    const db = openDatabase()
    const id = change(db, (writer) => {
      writer.insert('code_name', { name: 'Pride', memo: 'a' })
      writer.insert('code_name', { name: 'Fear' })
    })
    change(db, (writer) => writer.update('code_name', 1, { memo: 'b' }))
    expect(undo(db, id)).toMatchObject({
      undone: 1,
      skipped: [{ table: 'code_name', row_id: 1, reason: 'it was changed since' }],
    })
    expect(rows(db, 'code_name')).toMatchObject([{ name: 'Pride', memo: 'b' }])
  })

  it('changes back one column where somebody else has changed another', () => {
    const db = openDatabase()
    change(db, (writer) => writer.insert('code_name', { name: 'Pride', memo: 'a', color: '#F7D358' }))
    const id = change(db, (writer) => writer.update('code_name', 1, { memo: 'b' }))
    db.run("UPDATE main.code_name SET color = '#000000'")
    expect(undo(db, id)).toMatchObject({ undone: 1, skipped: [] })
    expect(rows(db, 'code_name')).toMatchObject([{ memo: 'a', color: '#000000' }])
  })

  it('gives a row whose id is taken another one, and what refers to it follows', () => {
    const db = openDatabase()
    change(db, (writer) => {
      writer.insert('source', { name: 'Interview' })
      writer.insert('code_name', { name: 'Pride' })
      writer.insert('code_text', { cid: 1, fid: 1, pos0: 0, pos1: 4, owner: 'x' })
    })
    const id = change(db, (writer) => {
      writer.delete('code_text', 1)
      writer.delete('code_name', 1)
    })
    db.run("INSERT INTO main.code_name (cid, name) VALUES (1, 'Somebody else’s')")
    const result = undo(db, id)
    expect(result.id_map).toEqual([{ table: 'code_name', old_id: 1, new_id: 2 }])
    expect(db.all('SELECT cid, fid, pos0, pos1 FROM main.code_text')).toEqual([{ cid: 2, fid: 1, pos0: 0, pos1: 4 }])
  })

  it('leaves a row away whose name another one has now', () => {
    const db = openDatabase()
    change(db, (writer) => writer.insert('code_name', { name: 'Pride' }))
    const id = change(db, (writer) => writer.delete('code_name', 1))
    db.run("INSERT INTO main.code_name (cid, name) VALUES (5, 'Pride')")
    expect(undo(db, id)).toMatchObject({ undone: 0, skipped: [{ table: 'code_name', row_id: 1 }] })
    expect(rows(db, 'code_name')).toMatchObject([{ cid: 5 }])
  })

  it('leaves what something else belongs to by now', () => {
    const db = openDatabase()
    const id = change(db, (writer) => {
      writer.insert('source', { name: 'Interview' })
      writer.insert('code_cat', { name: 'Feelings' })
      writer.insert('code_name', { name: 'Pride' })
      writer.insert('folder', { name: 'First', created_at: 1 })
    })
    change(db, (writer) => {
      writer.insert('code_name', { name: 'Joy', catid: 1, supercid: 1 })
      writer.insert('code_text', { cid: 2, fid: 1, pos0: 0, pos1: 4, owner: 'x' })
      writer.insert('folder', { name: 'Second', parent_id: 1, created_at: 1 })
    })
    const { undone, skipped } = undo(db, id)
    expect(undone).toBe(0)
    expect(skipped.map(({ table, reason }) => [table, reason])).toEqual(
      ['folder', 'code_name', 'code_cat', 'source'].map((table) => [table, 'something else belongs to it by now']),
    )
  })

  it('brings back what belonged to nothing before as it was', () => {
    const db = openDatabase()
    db.run('INSERT INTO main.code_text (ctid, cid, fid, pos0, pos1) VALUES (5, 98, 99, 0, 1)')
    const id = change(db, (writer) => writer.delete('code_text', 5))
    expect(undo(db, id)).toMatchObject({ undone: 1, skipped: [] })
    expect(db.all('SELECT ctid, cid, fid FROM main.code_text')).toEqual([{ ctid: 5, cid: 98, fid: 99 }])
  })

  it('knows no other change sets', () => {
    const db = openDatabase()
    expect(() => undo(db, 'nowhere')).toThrow(expect.objectContaining({ code: 'CHANGE_SET_NOT_FOUND' }))
  })

  it('is told by the change set that was undone', () => {
    const db = openDatabase()
    const id = change(db, (writer) => writer.insert('code_name', { name: 'Pride' }))
    const writer = writerIn(db)
    undoChangeSet(writer, id)
    writer.undoes = id
    const set = finishChangeSet(writer, 'session')
    expect(db.get('SELECT undone_by FROM side.change_set WHERE id = ?', id)).toEqual({ undone_by: set })
    expect(db.get('SELECT undoes FROM side.change_set WHERE id = ?', set)).toEqual({ undoes: id })
  })

  it('does nothing a second time, so that rows without a name do not come back twice', () => {
    const db = openDatabase()
    change(db, (writer) => {
      writer.insert('source', { name: 'Film' })
      writer.insert('code_name', { name: 'Pride' })
      writer.insert('code_av', { id: 1, cid: 1, pos0: 0, pos1: 9 })
    })
    const id = change(db, (writer) => writer.delete('code_av', 1))
    const by = undoAs(db, id)
    db.run('UPDATE main.code_av SET pos1 = 8')
    expect(undo(db, id)).toMatchObject({
      undone: 0,
      skipped: [{ table: 'code_av', row_id: 1, reason: `it was taken back already, by ${by}` }],
      set: null,
    })
    expect(rows(db, 'code_av')).toHaveLength(1)
  })

  it('can be done again once it was undone itself, and so on', () => {
    const db = openDatabase()
    const id = change(db, (writer) => writer.insert('code_name', { name: 'Pride' }))
    const undone = undoAs(db, id)
    const redone = undoAs(db, undone)
    expect(undoneBy(db)).toEqual([null, redone, null])
    const again = undoAs(db, redone)
    expect(undoneBy(db)).toEqual([undone, null, again, null])
    expect(rows(db, 'code_name')).toEqual([])
  })

  it('leaves away a coding whose code was deleted since, whoever has its id now', () => {
    const db = openDatabase()
    change(db, (writer) => {
      writer.insert('source', { name: 'Interview' })
      writer.insert('code_name', { name: 'Pride' })
      writer.insert('code_text', { cid: 1, fid: 1, pos0: 0, pos1: 4, owner: 'x' })
    })
    const id = change(db, (writer) => writer.delete('code_text', 1))
    const deletion = change(db, (writer) => writer.delete('code_name', 1))
    const skipped = [{ table: 'code_text', row_id: 1, reason: 'what it belongs to is gone' }]
    expect(undo(db, id)).toMatchObject({ undone: 0, skipped })
    const other = change(db, (writer) => writer.insert('code_name', { name: 'Fear' }))
    expect(undo(db, id)).toMatchObject({ undone: 0, skipped })
    undoAs(db, other)
    undoAs(db, deletion)
    expect(undo(db, id)).toMatchObject({ undone: 1, skipped: [] })
  })

  it('gives the folder of a source to that source alone', () => {
    const db = openDatabase()
    change(db, (writer) => {
      writer.insert('source', { name: 'Interview' })
      writer.insert('source_meta', { source_id: 1, fp: 'Interview', origin: 'field' })
    })
    const id = change(db, (writer) => {
      writer.delete('source_meta', 1)
      writer.delete('source', 1)
    })
    db.run("INSERT INTO main.source (id, name) VALUES (1, 'Another')")
    db.run("INSERT INTO side.source_meta (source_id, fp) VALUES (1, 'Another')")
    expect(undo(db, id)).toMatchObject({
      undone: 2,
      id_map: [{ table: 'source', old_id: 1, new_id: 2 }, { new_id: 2 }],
    })
    expect(db.all('SELECT source_id, fp FROM side.source_meta ORDER BY 1')).toEqual([
      { source_id: 1, fp: 'Another' },
      { source_id: 2, fp: 'Interview' },
    ])
  })
})
