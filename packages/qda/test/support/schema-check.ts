import Database from 'better-sqlite3'
import { expect } from 'vitest'

/**
 * The tables of version 17 as the format documents them, written down once more and not made from the worker's own list.
 * Columns are TEXT, `:I` INTEGER, `:R` REAL; the first is the integer primary key unless the name of the table ends in
 * `*` (no key) or `=` (a key that is text). `U(...)`: unique.
 */
const documented = `
project* databaseversion date memo about bookmarkfile:I bookmarkpos:I codername recently_used_codes avbookmarkfile:I avbookmarkmsec:I avbookmarktextpos:I
source id name fulltext mediapath memo owner date av_text_id:I risid:I U(name)
code_cat catid name owner date memo supercatid:I U(name)
code_name cid name memo catid:I owner date color supercid:I U(name)
code_text ctid cid:I fid:I seltext pos0:I pos1:I owner date memo avid:I important:I U(cid,fid,pos0,pos1,owner)
code_image imid id:I x1:I y1:I width:I height:I cid:I memo date owner important:I pdf_page:I
code_av avid id:I pos0:I pos1:I cid:I memo date owner important:I
annotation anid fid:I pos0:I pos1:I memo owner date U(fid,pos0,pos1,owner)
cases caseid name memo owner date U(name)
case_text id caseid:I fid:I pos0:I pos1:I owner date memo
attribute_type= name date owner memo caseOrFile valuetype
attribute attrid name attr_type value id:I date owner U(name,attr_type,id)
journal jid name jentry date owner U(name)
coder_names* name visibility:I U(name)
stored_sql* title description grouper ssql U(title)
ris* risid:I tag longtag value
manage_files_display mfid name tblrows tblcolumns owner
files_filter filterid name filter owner
graph grid name description date scene_width:I scene_height:I U(name)
gr_cdct_text_item gtextid grid:I x:I y:I supercatid:I catid:I cid:I font_size:I bold:I isvisible:I displaytext
gr_case_text_item gcaseid grid:I x:I y:I caseid:I font_size:I bold:I color displaytext
gr_file_text_item gfileid grid:I x:I y:I fid:I font_size:I bold:I color displaytext
gr_free_text_item gfreeid grid:I freetextid:I x:I y:I free_text font_size:I bold:I color tooltip ctid:I memo_ctid:I memo_imid:I memo_avid:I
gr_cdct_line_item glineid grid:I fromcatid:I fromcid:I tocatid:I tocid:I color linewidth:R linetype isvisible:I label arrow_mode
gr_free_line_item gflineid grid:I fromfreetextid:I fromcatid:I fromcid:I fromcaseid:I fromfileid:I fromimid:I fromavid:I tofreetextid:I tocatid:I tocid:I tocaseid:I tofileid:I toimid:I toavid:I color linewidth:R linetype label arrow_mode
gr_memo_item gmemoid grid:I memo_source_type memo_source_id:I x:I y:I color font_size:I
gr_pix_item grpixid grid:I imid:I x:I y:I px:I py:I w:I h:I filepath tooltip pdf_page:I
gr_av_item gr_avid grid:I avid:I x:I y:I pos0:I pos1:I filepath tooltip color
`

const views = ['annotation_visible', 'code_av_visible', 'code_image_visible', 'code_text_visible']

export interface TableShape {
  readonly columns: readonly string[]
  readonly key: string | null
  readonly unique: readonly string[]
}

/** Fails unless the `data.qda` there has the documented tables and views of version 17, and nothing else. */
export function expectDocumentedSchema(path: string): void {
  const db = new Database(path, { readonly: true })
  try {
    expect(schemaShapes(db)).toEqual(documentedShapes())
    expect(namesOf(db, 'view')).toEqual(views)
    expect(namesOf(db, 'trigger')).toEqual([])
    expect(db.pragma('encoding', { simple: true })).toBe('UTF-8')
    expect(db.pragma('journal_mode', { simple: true })).toBe('delete')
    expect(db.pragma('user_version', { simple: true })).toBe(0)
    expect(db.pragma('application_id', { simple: true })).toBe(0)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  } finally {
    db.close()
  }
}

/** All that the database's own list of tables, indexes, views and triggers says, to compare before and after. */
export function schemaText(path: string): readonly unknown[] {
  const db = new Database(path, { readonly: true })
  try {
    const pragmas = ['user_version', 'application_id', 'journal_mode', 'encoding', 'page_size', 'auto_vacuum']
    return [
      ...db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name').all(),
      ...pragmas.map((pragma) => [pragma, db.pragma(pragma, { simple: true })]),
    ]
  } finally {
    db.close()
  }
}

export function documentedShapes(): ReadonlyMap<string, TableShape> {
  return new Map(documented.trim().split('\n').map(documentedShape))
}

function documentedShape(line: string): [string, TableShape] {
  const [heading = '', ...words] = line.split(' ')
  const name = heading.replace(/[*=]$/, '')
  const isUnique = (word: string) => word.startsWith('U(')
  const names = words.filter((word) => !isUnique(word))
  const hasIntegerKey = name === heading
  return [
    name,
    {
      columns: names.map((word, index) => typed(word, hasIntegerKey && index === 0)),
      key: heading.endsWith('*') ? null : (names[0] ?? ''),
      unique: words.filter(isUnique).map((word) => word.slice(2, -1)),
    },
  ]
}

function typed(word: string, isKey: boolean): string {
  const [name, letter] = word.split(':')
  return `${name} ${isKey || letter === 'I' ? 'INTEGER' : letter === 'R' ? 'REAL' : 'TEXT'}`
}

function schemaShapes(db: Database.Database): ReadonlyMap<string, TableShape> {
  return new Map(namesOf(db, 'table').map((table) => [table, shapeOf(db, table)]))
}

function shapeOf(db: Database.Database, table: string): TableShape {
  const columns = db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(table) as {
    name: string
    type: string
    pk: number
  }[]
  const indexes = db.prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'u'").pluck().all(table) as string[]
  expect(db.prepare('SELECT count(*) FROM pragma_foreign_key_list(?)').pluck().get(table)).toBe(0)
  return {
    columns: columns.map(({ name, type }) => `${name} ${type}`),
    key: columns.find(({ pk }) => pk === 1)?.name ?? null,
    unique: indexes.map((index) => db.prepare('SELECT name FROM pragma_index_info(?)').pluck().all(index).join(',')),
  }
}

function namesOf(db: Database.Database, type: string): string[] {
  return db
    .prepare("SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .pluck()
    .all(type)
    .map(String)
    .sort((a, b) => (type === 'view' ? a.localeCompare(b) : 0))
}
