import type { Writer } from '../changes/writer.js'

/**
 * Gives a source a value of a file attribute, which is made if there is none: then every source has a row of it. The name it got:
 * attributes of cases and files share their names.
 */
export function setFileAttribute(writer: Writer, sourceId: number, wanted: string, value: string): string {
  const name = nameFor(writer, wanted)
  if (typeOf(writer, name) === undefined) addFileAttribute(writer, name)
  const row = writer.db.get<{ readonly attrid: number }>(
    "SELECT attrid FROM main.attribute WHERE name = ? AND attr_type = 'file' AND id = ?",
    name,
    sourceId,
  )
  const values = { value, date: writer.act.date, owner: writer.coder() }
  if (row !== undefined) writer.update('attribute', row.attrid, values)
  else writer.insert('attribute', { name, attr_type: 'file', id: sourceId, ...values })
  return name
}

function nameFor(writer: Writer, wanted: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted} ${n}`
    const type = typeOf(writer, name)
    if (type === undefined || type === 'file') return name
  }
}

/** What the attribute of that name belongs to; undefined: there is none. */
function typeOf(writer: Writer, name: string): string | undefined {
  const found = writer.db.get<{ readonly of: string | null }>(
    'SELECT caseOrFile AS of FROM main.attribute_type WHERE name = ?',
    name,
  )
  return found === undefined ? undefined : (found.of ?? '')
}

function addFileAttribute(writer: Writer, name: string): void {
  const common = { name, date: writer.act.date, owner: writer.coder() }
  writer.insert('attribute_type', { ...common, memo: '', caseOrFile: 'file', valuetype: 'character' })
  for (const { id } of writer.db.all<{ readonly id: number }>('SELECT id FROM main.source ORDER BY id'))
    if (
      writer.db.value("SELECT 1 FROM main.attribute WHERE name = ? AND attr_type = 'file' AND id = ?", name, id) ===
      undefined
    )
      writer.insert('attribute', { ...common, attr_type: 'file', value: '', id })
}
