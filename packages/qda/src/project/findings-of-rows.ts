import type { TableName } from '../format/tables.js'
import { codeNameKey, sourceNameKey } from '../text/name-key.js'
import { visible } from './coders.js'
import type { Finding } from './findings.js'
import type { ProjectDatabase } from './project-database.js'

interface Reference {
  readonly table: TableName
  readonly key: string
  readonly column: string
  readonly to: TableName
  readonly toKey: string
  /** What is named, to people. */
  readonly what: string
  /** Which rows of the table. */
  readonly where?: string
  readonly isCoded?: true
}

const references: readonly Reference[] = [
  ...(['code_text', 'code_image', 'code_av'] as const).flatMap((table): Reference[] => {
    const [key, source] = { code_text: ['ctid', 'fid'], code_image: ['imid', 'id'], code_av: ['avid', 'id'] }[
      table
    ] as [string, string]
    return [
      { table, key, column: 'cid', to: 'code_name', toKey: 'cid', what: 'code', isCoded: true },
      { table, key, column: source, to: 'source', toKey: 'id', what: 'source', isCoded: true },
    ]
  }),
  { table: 'code_text', key: 'ctid', column: 'avid', to: 'code_av', toKey: 'avid', what: 'AV coding', isCoded: true },
  { table: 'annotation', key: 'anid', column: 'fid', to: 'source', toKey: 'id', what: 'source', isCoded: true },
  { table: 'case_text', key: 'id', column: 'caseid', to: 'cases', toKey: 'caseid', what: 'case' },
  { table: 'case_text', key: 'id', column: 'fid', to: 'source', toKey: 'id', what: 'source' },
  attributeOf('file', 'source', 'id', 'source'),
  attributeOf('case', 'cases', 'caseid', 'case'),
  attributeOf('journal', 'journal', 'jid', 'journal'),
  { table: 'code_name', key: 'cid', column: 'catid', to: 'code_cat', toKey: 'catid', what: 'category' },
  { table: 'code_name', key: 'cid', column: 'supercid', to: 'code_name', toKey: 'cid', what: 'parent code' },
  { table: 'code_cat', key: 'catid', column: 'supercatid', to: 'code_cat', toKey: 'catid', what: 'parent category' },
  { table: 'source', key: 'id', column: 'av_text_id', to: 'source', toKey: 'id', what: 'transcript' },
]

function attributeOf(kind: string, to: TableName, toKey: string, what: string): Reference {
  return { table: 'attribute', key: 'attrid', column: 'id', to, toKey, what, where: `t.attr_type = '${kind}'` }
}

/** Rows that name something that is not there, one kind of reference after the other. */
export function* danglingRows(db: ProjectDatabase): Generator<readonly Finding[]> {
  for (const reference of references) {
    const { table, column, to, what } = reference
    if (!db.has(table, column) || !db.has(to)) continue
    const rows = db.all<{ readonly id: number; readonly named: unknown }>(danglingSql(db, reference))
    yield rows.map(({ id, named }) => {
      const message = `${table} ${id} names ${what} ${named}, which does not exist`
      return { kind: 'dangling', table, row_id: id, message } as const
    })
  }
}

function danglingSql(db: ProjectDatabase, { table, key, column, to, toKey, where, isCoded }: Reference): string {
  const conditions = [
    `t.${column} IS NOT NULL`,
    `NOT EXISTS (SELECT 1 FROM main.${to} AS o WHERE o.${toKey} = t.${column})`,
    ...(where === undefined ? [] : [where]),
    ...(isCoded ? [visible(db, 't')] : []),
  ]
  const id = db.has(table, key) ? key : 'rowid'
  return `SELECT t.${id} AS id, t.${column} AS named FROM main.${table} AS t WHERE ${conditions.join(' AND ')} ORDER BY t.${id}`
}

/** Each category or code that is above itself. */
export function cycles(db: ProjectDatabase): readonly Finding[] {
  const hierarchies = [
    ['code_cat', 'catid', 'supercatid', 'category'],
    ['code_name', 'cid', 'supercid', 'code'],
  ] as const
  return hierarchies.flatMap(([table, key, parent, what]) => {
    if (!db.has(table, parent)) return []
    const rows = db.all<{ readonly id: number; readonly parent: number | null }>(
      `SELECT ${key} AS id, ${parent} AS parent FROM main.${table} ORDER BY ${key}`,
    )
    return inCycles(new Map(rows.map(({ id, parent: above }) => [id, above]))).map((id) => {
      const message = `${table} ${id} is a ${what} above itself`
      return { kind: 'cycle', table, row_id: id, message } as const
    })
  })
}

/** Walks up from each node once: whoever is met again on the same walk closes a cycle. */
function inCycles(parents: ReadonlyMap<number, number | null>): readonly number[] {
  const walks = new Map<number, number>()
  const found: number[] = []
  for (const start of parents.keys()) {
    let at: number | null | undefined = start
    while (at != null && parents.has(at) && !walks.has(at)) {
      walks.set(at, start)
      at = parents.get(at)
    }
    if (at == null || walks.get(at) !== start) continue
    const first = at
    do {
      found.push(at!)
      at = parents.get(at!)
    } while (at !== first)
  }
  return found.toSorted((one, other) => one - other)
}

/** Names that are one name to people, and several to the database. */
export function nameClashes(db: ProjectDatabase): readonly Finding[] {
  const named = [
    ['source', 'id', sourceNameKey],
    ['code_name', 'cid', codeNameKey],
    ['code_cat', 'catid', codeNameKey],
    ['cases', 'caseid', sourceNameKey],
  ] as const
  return named.flatMap(([table, key, keyOf]) => {
    const rows = db.all<{ readonly id: number; readonly name: string }>(
      `SELECT ${key} AS id, CAST(name AS TEXT) AS name FROM main.${table} WHERE name IS NOT NULL ORDER BY ${key}`,
    )
    const first = new Map<string, { readonly id: number; readonly name: string }>()
    return rows.flatMap((row) => {
      const other = first.get(keyOf(row.name))
      if (other === undefined) {
        first.set(keyOf(row.name), row)
        return []
      }
      const message = `${table} ${row.id} is named '${row.name}', and ${other.id} '${other.name}'`
      return [{ kind: 'name_clash', table, row_id: row.id, message } as const]
    })
  })
}
