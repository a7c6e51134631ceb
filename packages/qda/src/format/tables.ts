/** What QualCoder 4.0 (version 17 of its format) keeps in `data.qda`, as data: nothing else here spells a table out. */

export type ColumnType = 'TEXT' | 'INTEGER' | 'REAL'

export interface Column {
  readonly type: ColumnType
  /** SQL after the type, such as NOT NULL, DEFAULT and CHECK. */
  readonly rule?: string
}

export interface Table {
  /** The primary key, an alias of the rowid where it is an integer; null where a row has its rowid alone. */
  readonly key: string | null
  /** In the order of the file. */
  readonly columns: { readonly [name: string]: Column }
  /** Groups of columns that no two rows share; NULL equals nothing. */
  readonly unique: readonly (readonly string[])[]
}

export interface View {
  readonly table: TableName
}

const text: Column = { type: 'TEXT' }
const integer: Column = { type: 'INTEGER' }
const real: Column = { type: 'REAL' }

export const projectTables = {
  project: table(null, {
    databaseversion: text,
    date: text,
    memo: text,
    about: text,
    bookmarkfile: integer,
    bookmarkpos: integer,
    codername: text,
    recently_used_codes: text,
    avbookmarkfile: integer,
    avbookmarkmsec: integer,
    avbookmarktextpos: integer,
  }),
  source: table(
    'id',
    {
      id: integer,
      name: text,
      fulltext: text,
      mediapath: text,
      memo: text,
      owner: text,
      date: text,
      av_text_id: integer,
      risid: integer,
    },
    ['name'],
  ),
  code_cat: table('catid', { catid: integer, name: text, owner: text, date: text, memo: text, supercatid: integer }, [
    'name',
  ]),
  code_name: table(
    'cid',
    {
      cid: integer,
      name: text,
      memo: text,
      catid: integer,
      owner: text,
      date: text,
      color: text,
      supercid: integer,
    },
    ['name'],
  ),
  code_text: table(
    'ctid',
    {
      ctid: integer,
      cid: integer,
      fid: integer,
      seltext: text,
      pos0: integer,
      pos1: integer,
      owner: text,
      date: text,
      memo: text,
      avid: integer,
      important: integer,
    },
    ['cid', 'fid', 'pos0', 'pos1', 'owner'],
  ),
  code_image: table('imid', {
    imid: integer,
    id: integer,
    x1: integer,
    y1: integer,
    width: integer,
    height: integer,
    cid: integer,
    memo: text,
    date: text,
    owner: text,
    important: integer,
    pdf_page: integer,
  }),
  code_av: table('avid', {
    avid: integer,
    id: integer,
    pos0: integer,
    pos1: integer,
    cid: integer,
    memo: text,
    date: text,
    owner: text,
    important: integer,
  }),
  annotation: table(
    'anid',
    { anid: integer, fid: integer, pos0: integer, pos1: integer, memo: text, owner: text, date: text },
    ['fid', 'pos0', 'pos1', 'owner'],
  ),
  cases: table('caseid', { caseid: integer, name: text, memo: text, owner: text, date: text }, ['name']),
  case_text: table('id', {
    id: integer,
    caseid: integer,
    fid: integer,
    pos0: integer,
    pos1: integer,
    owner: text,
    date: text,
    memo: text,
  }),
  attribute_type: table('name', {
    name: text,
    date: text,
    owner: text,
    memo: text,
    caseOrFile: text,
    valuetype: text,
  }),
  attribute: table(
    'attrid',
    { attrid: integer, name: text, attr_type: text, value: text, id: integer, date: text, owner: text },
    ['name', 'attr_type', 'id'],
  ),
  journal: table('jid', { jid: integer, name: text, jentry: text, date: text, owner: text }, ['name']),
  coder_names: table(
    null,
    {
      name: { type: 'TEXT', rule: 'NOT NULL' },
      visibility: { type: 'INTEGER', rule: 'NOT NULL DEFAULT 1 CHECK (visibility IN (0, 1))' },
    },
    ['name'],
  ),
  stored_sql: table(null, { title: text, description: text, grouper: text, ssql: text }, ['title']),
  ris: table(null, { risid: integer, tag: text, longtag: text, value: text }),
  manage_files_display: table('mfid', {
    mfid: integer,
    name: text,
    tblrows: text,
    tblcolumns: text,
    owner: text,
  }),
  files_filter: table('filterid', { filterid: integer, name: text, filter: text, owner: text }),
  graph: table(
    'grid',
    {
      grid: integer,
      name: text,
      description: text,
      date: text,
      scene_width: integer,
      scene_height: integer,
    },
    ['name'],
  ),
  gr_cdct_text_item: table('gtextid', {
    gtextid: integer,
    grid: integer,
    x: integer,
    y: integer,
    supercatid: integer,
    catid: integer,
    cid: integer,
    font_size: integer,
    bold: integer,
    isvisible: integer,
    displaytext: text,
  }),
  gr_case_text_item: table('gcaseid', {
    gcaseid: integer,
    grid: integer,
    x: integer,
    y: integer,
    caseid: integer,
    font_size: integer,
    bold: integer,
    color: text,
    displaytext: text,
  }),
  gr_file_text_item: table('gfileid', {
    gfileid: integer,
    grid: integer,
    x: integer,
    y: integer,
    fid: integer,
    font_size: integer,
    bold: integer,
    color: text,
    displaytext: text,
  }),
  gr_free_text_item: table('gfreeid', {
    gfreeid: integer,
    grid: integer,
    freetextid: integer,
    x: integer,
    y: integer,
    free_text: text,
    font_size: integer,
    bold: integer,
    color: text,
    tooltip: text,
    ctid: integer,
    memo_ctid: integer,
    memo_imid: integer,
    memo_avid: integer,
  }),
  gr_cdct_line_item: table('glineid', {
    glineid: integer,
    grid: integer,
    fromcatid: integer,
    fromcid: integer,
    tocatid: integer,
    tocid: integer,
    color: text,
    linewidth: real,
    linetype: text,
    isvisible: integer,
    label: text,
    arrow_mode: text,
  }),
  gr_free_line_item: table('gflineid', {
    gflineid: integer,
    grid: integer,
    fromfreetextid: integer,
    fromcatid: integer,
    fromcid: integer,
    fromcaseid: integer,
    fromfileid: integer,
    fromimid: integer,
    fromavid: integer,
    tofreetextid: integer,
    tocatid: integer,
    tocid: integer,
    tocaseid: integer,
    tofileid: integer,
    toimid: integer,
    toavid: integer,
    color: text,
    linewidth: real,
    linetype: text,
    label: text,
    arrow_mode: text,
  }),
  gr_memo_item: table('gmemoid', {
    gmemoid: integer,
    grid: integer,
    memo_source_type: text,
    memo_source_id: integer,
    x: integer,
    y: integer,
    color: text,
    font_size: integer,
  }),
  gr_pix_item: table('grpixid', {
    grpixid: integer,
    grid: integer,
    imid: integer,
    x: integer,
    y: integer,
    px: integer,
    py: integer,
    w: integer,
    h: integer,
    filepath: text,
    tooltip: text,
    pdf_page: integer,
  }),
  gr_av_item: table('gr_avid', {
    gr_avid: integer,
    grid: integer,
    avid: integer,
    x: integer,
    y: integer,
    pos0: integer,
    pos1: integer,
    filepath: text,
    tooltip: text,
    color: text,
  }),
} as const satisfies { readonly [name: string]: Table }

export type TableName = keyof typeof projectTables

export const tableNames = Object.keys(projectTables) as readonly TableName[]

/** Each shows the rows of its table but for those whose owner is listed in `coder_names` as not visible. */
export const projectViews = {
  code_text_visible: { table: 'code_text' },
  code_image_visible: { table: 'code_image' },
  code_av_visible: { table: 'code_av' },
  annotation_visible: { table: 'annotation' },
} as const satisfies { readonly [name: string]: View }

export function isTableName(name: string): name is TableName {
  return Object.hasOwn(projectTables, name)
}

/** The key column of version 17; null where a row has no name but its rowid, which VACUUM may change. */
export function keyOf(name: TableName): string | null {
  return projectTables[name].key
}

export function columnsOf(name: TableName): readonly string[] {
  return Object.keys(projectTables[name].columns)
}

function table<const Columns extends Table['columns']>(
  key: (keyof Columns & string) | null,
  columns: Columns,
  ...unique: readonly (readonly (keyof Columns & string)[])[]
): { readonly key: (keyof Columns & string) | null; readonly columns: Columns; readonly unique: typeof unique } {
  return { key, columns, unique }
}
