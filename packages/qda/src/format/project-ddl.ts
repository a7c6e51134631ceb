import { type Column, projectTables, projectViews, type Table, type View } from './tables.js'

/** Statements that make the tables and views of a new project, in order. */
export function projectStatements(): readonly string[] {
  return [
    ...Object.entries(projectTables).map(([name, table]) => tableStatement(name, table)),
    ...Object.entries(projectViews).map(([name, view]) => viewStatement(name, view)),
  ]
}

function tableStatement(name: string, { key, columns, unique }: Table): string {
  const lines = [
    ...Object.entries(columns).map(([column, of]) => columnLine(column, of, column === key)),
    ...unique.map((group) => `UNIQUE (${group.join(', ')})`),
  ]
  return `CREATE TABLE ${name} (${lines.join(', ')})`
}

function columnLine(name: string, { type, rule }: Column, isKey: boolean): string {
  return [name, type, isKey ? 'PRIMARY KEY' : '', rule ?? ''].filter(Boolean).join(' ')
}

// NOT IN would lose rows whose owner is NULL as soon as one coder is hidden.
function viewStatement(name: string, { table }: View): string {
  const hidden = `SELECT 1 FROM coder_names WHERE coder_names.name = ${table}.owner AND visibility = 0`
  return `CREATE VIEW ${name} AS SELECT * FROM ${table} WHERE NOT EXISTS (${hidden})`
}
