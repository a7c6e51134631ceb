import { join } from 'node:path'
import { dumpRows } from '../../support/every-table.js'
import { schemaText } from '../../support/schema-check.js'

/** Every byte of every row of a project's own database, by table. */
export function projectState(path: string): { readonly [table: string]: readonly string[] } {
  return Object.fromEntries(dumpRows(join(path, 'data.qda')))
}

/** Folders, and what is kept of sources and codings, but for what numbers the rows have. */
export function sideState(path: string): { readonly [table: string]: readonly string[] } {
  const dump = dumpRows(join(path, 'callboard.sqlite'))
  const plain = (line: string) => line.replace(/^\d+ (id=integer:\d+ )?/, '')
  return Object.fromEntries(
    ['folder', 'source_meta', 'coding_meta', 'object_guid'].map((table) => [
      table,
      (dump.get(table) ?? []).map(plain).sort(),
    ]),
  )
}

export function projectSchema(path: string): readonly unknown[] {
  return schemaText(join(path, 'data.qda'))
}
