import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createProjectFolder } from '../../src/format/create-project-folder.js'

/** What each version brought, as the format documents it: a table, or `table.column`. */
const brought: { readonly [version: number]: readonly string[] } = {
  2: ['code_text.avid', 'project.bookmarkfile', 'project.bookmarkpos'],
  3: ['code_text.important', 'code_image.important', 'code_av.important'],
  4: ['code_text.ctid'],
  5: ['project.codername', 'source.av_text_id', 'stored_sql'],
  6: [
    'graph',
    'gr_cdct_text_item',
    'gr_case_text_item',
    'gr_file_text_item',
    'gr_free_text_item',
    'gr_cdct_line_item',
    'gr_free_line_item',
    'gr_pix_item',
    'gr_av_item',
  ],
  7: ['gr_free_text_item.memo_ctid', 'gr_free_text_item.memo_imid', 'gr_free_text_item.memo_avid'],
  8: ['ris'],
  9: ['source.risid', 'project.recently_used_codes'],
  10: ['code_image.pdf_page'],
  11: ['gr_pix_item.pdf_page'],
  12: ['manage_files_display'],
  13: ['files_filter'],
  14: ['coder_names'],
  15: ['project.avbookmarkfile', 'project.avbookmarkmsec', 'project.avbookmarktextpos'],
  16: ['code_name.supercid'],
  17: [
    'gr_cdct_line_item.label',
    'gr_cdct_line_item.arrow_mode',
    'gr_free_line_item.label',
    'gr_free_line_item.arrow_mode',
    'gr_memo_item',
  ],
}

export interface OldProject {
  /** 1 to 18; 18 is one that nobody knows yet. */
  readonly version: number
  /** What it says of itself where that is not so: `v8`, or nonsense. */
  readonly claims?: string | null
}

/** A project as that version of the original made it, with one source, one code and one coding. */
export function makeProjectOfVersion(path: string, { version, claims = `v${version}` }: OldProject): string {
  createProjectFolder({ path, name: 'Old' }, { coder: 'Ana', now: Date.parse('2026-03-02T12:00:00Z'), timeZone: 'UTC' })
  changeProject(path, (db) => {
    db.exec('BEGIN')
    for (let newer = 17; newer > version; newer -= 1) takeBack(db, newer)
    if (version > 17)
      db.exec('ALTER TABLE code_name ADD COLUMN mood TEXT; CREATE TABLE moods (mid INTEGER PRIMARY KEY)')
    db.prepare('UPDATE project SET databaseversion = ?').run(claims)
    db.exec("INSERT INTO source (id, name, fulltext, owner, date) VALUES (1, 'a.txt', 'One two three', 'Ana', '')")
    db.exec("INSERT INTO code_name (cid, name, color, owner, date) VALUES (1, 'Number', '#F7D358', 'Ana', '')")
    db.exec("INSERT INTO code_text (cid, fid, seltext, pos0, pos1, owner) VALUES (1, 1, 'two', 4, 7, 'Ana')")
    db.exec('COMMIT')
  })
  return path
}

/** A project of version 8 that has `source.risid` but no `recently_used_codes`, as one release left them. */
export function makeVersion8WithRisid(path: string): string {
  makeProjectOfVersion(path, { version: 8 })
  return changeProject(path, (db) => db.exec('ALTER TABLE source ADD COLUMN risid INTEGER'))
}

/** A project of version 15 or later whose `avbookmarktextpos` is written `avbookmarktext`. */
export function makeMisspelt(path: string, version = 15): string {
  makeProjectOfVersion(path, { version })
  return changeProject(path, (db) => db.exec('ALTER TABLE project RENAME COLUMN avbookmarktextpos TO avbookmarktext'))
}

/** Changes a project's database as some other program might have; returns the path. */
export function changeProject(path: string, change: (db: Database.Database) => void): string {
  const db = new Database(join(path, 'data.qda'))
  try {
    db.pragma('synchronous = OFF')
    change(db)
  } finally {
    db.close()
  }
  return path
}

function takeBack(db: Database.Database, version: number): void {
  for (const what of brought[version] ?? []) {
    const [table = '', column] = what.split('.')
    if (table === 'coder_names') for (const view of visibleViews) db.exec(`DROP VIEW ${view}`)
    if (what === 'code_text.ctid') withoutKey(db)
    else db.exec(column === undefined ? `DROP TABLE ${table}` : `ALTER TABLE ${table} DROP COLUMN ${column}`)
  }
}

const visibleViews = ['code_text_visible', 'code_image_visible', 'code_av_visible', 'annotation_visible']

/** SQLite can't drop a key. */
function withoutKey(db: Database.Database): void {
  const columns = (db.pragma('table_info(code_text)') as { name: string; type: string }[])
    .filter(({ name }) => name !== 'ctid')
    .map(({ name, type }) => `${name} ${type}`)
  db.exec(`DROP TABLE code_text; CREATE TABLE code_text (${columns.join(', ')}, UNIQUE (cid, fid, pos0, pos1, owner))`)
}
