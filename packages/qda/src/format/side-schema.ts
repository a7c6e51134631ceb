/** File of a project folder for what QualCoder's format has no place for. */
export const sideFileName = 'callboard.sqlite'

/** Version of the side file, in its `user_version`. */
export const sideSchemaVersion = 1

// Times are UTC ms. Ids of our own are never used twice (AUTOINCREMENT). `fp` tells a row from a later one that SQLite gave the same rowid.
const sideTables = {
  meta: ['key TEXT PRIMARY KEY', 'value'],
  folder: [
    'id INTEGER PRIMARY KEY AUTOINCREMENT',
    'name TEXT NOT NULL',
    'parent_id INTEGER',
    'created_at INTEGER NOT NULL',
  ],
  source_meta: [
    'source_id INTEGER PRIMARY KEY',
    'fp TEXT NOT NULL',
    'folder_id INTEGER',
    'status TEXT',
    'origin TEXT',
    'language TEXT',
    'topics TEXT',
    'text_hash TEXT',
    'guid TEXT',
  ],
  coding_meta: [
    'id INTEGER PRIMARY KEY AUTOINCREMENT',
    'kind TEXT NOT NULL',
    'row_id INTEGER NOT NULL',
    'fp TEXT NOT NULL',
    'importance INTEGER',
    'guid TEXT',
    'UNIQUE (kind, row_id)',
  ],
  object_guid: [
    'id INTEGER PRIMARY KEY AUTOINCREMENT',
    'kind TEXT NOT NULL',
    'row_id INTEGER NOT NULL',
    'fp TEXT NOT NULL',
    'guid TEXT NOT NULL',
    'UNIQUE (kind, row_id)',
  ],
  change_set: [
    'seq INTEGER PRIMARY KEY AUTOINCREMENT',
    'id TEXT NOT NULL UNIQUE',
    'tool TEXT NOT NULL',
    'actor TEXT NOT NULL',
    'owner TEXT',
    'session TEXT',
    'created_at INTEGER NOT NULL',
    'summary TEXT',
    'undoes TEXT',
    'undone_by TEXT',
  ],
  change: [
    'set_id TEXT NOT NULL',
    'n INTEGER NOT NULL',
    'tbl TEXT NOT NULL',
    'row_key',
    'before TEXT',
    'after TEXT',
    'PRIMARY KEY (set_id, n)',
  ],
  suggestion: [
    'id TEXT PRIMARY KEY',
    'kind TEXT NOT NULL',
    'tool TEXT NOT NULL',
    'payload TEXT NOT NULL',
    'fingerprints TEXT',
    'actor TEXT NOT NULL',
    'rationale TEXT',
    'about TEXT',
    'created_at INTEGER NOT NULL',
    'status TEXT NOT NULL',
    'decided_by TEXT',
    'decided_at INTEGER',
    'reason TEXT',
    'result TEXT',
  ],
  request: [
    'actor TEXT NOT NULL',
    'tool TEXT NOT NULL',
    'key TEXT NOT NULL',
    'args_hash TEXT NOT NULL',
    'reply TEXT',
    'created_at INTEGER NOT NULL',
    'PRIMARY KEY (actor, tool, key)',
  ],
} as const satisfies { readonly [name: string]: readonly string[] }

export type SideTableName = keyof typeof sideTables

export const sideTableNames = Object.keys(sideTables) as readonly SideTableName[]

export function sideColumnsOf(name: SideTableName): readonly string[] {
  return sideTables[name].filter((line) => !/^(UNIQUE|PRIMARY KEY) /.test(line)).map((line) => line.split(' ')[0] ?? '')
}

/** Found by key alone, and big: the rowid would be a second tree. */
const withoutRowid: ReadonlySet<SideTableName> = new Set(['change', 'request'])

/**
 * Statements that make the side file's tables where they are missing, in the database of that name: `main`, or the
 * name under which the side file is attached.
 */
export function sideStatements(schema = 'main'): readonly string[] {
  return [
    ...sideTableNames.map((name) => {
      const tail = withoutRowid.has(name) ? ' WITHOUT ROWID' : ''
      return `CREATE TABLE IF NOT EXISTS ${schema}.${name} (${sideTables[name].join(', ')})${tail}`
    }),
    `CREATE INDEX IF NOT EXISTS ${schema}.suggestion_by_status ON suggestion (status, created_at)`,
    `CREATE INDEX IF NOT EXISTS ${schema}.request_by_age ON request (created_at)`,
    `PRAGMA ${schema}.user_version = ${sideSchemaVersion}`,
  ]
}
