import type { Writer } from '../changes/writer.js'

/** Every source and every case has a row for each attribute of its kind, however empty. */
export function addEmptyAttributes(writer: Writer, kind: 'file' | 'case', id: number): void {
  if (!writer.db.has('attribute_type')) return
  // Of an earlier one that had the id, and was removed by a program that left them.
  writer.deleteWhere('attribute', 'attr_type = ? AND id = ?', kind, id)
  const names = writer.db.all<{ readonly name: string }>(
    'SELECT name FROM main.attribute_type WHERE caseOrFile = ? AND name IS NOT NULL ORDER BY name',
    kind,
  )
  for (const { name } of names)
    writer.insert('attribute', {
      ...{ name, attr_type: kind, value: '', id },
      ...{ date: writer.act.date, owner: writer.coder() },
    })
}
