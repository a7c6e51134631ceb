import type { RecordedTable } from '../changes/recorded-tables.js'
import type { Writer } from '../changes/writer.js'

/** In which tables of saved graphs a code is: as a node, and as either end of a line. */
const codeColumns = {
  gr_cdct_text_item: ['cid'],
  gr_cdct_line_item: ['fromcid', 'tocid'],
  gr_free_line_item: ['fromcid', 'tocid'],
} as const satisfies { readonly [Table in RecordedTable]?: readonly string[] }

/** A code that goes leaves all saved graphs. */
export function deleteGraphRowsOfCode(writer: Writer, codeId: number): void {
  for (const [table, columns] of Object.entries(codeColumns)) {
    const known = columns.filter((column) => writer.db.has(table, column))
    if (known.length === 0) continue
    const condition = known.map((column) => `${column} = ?`).join(' OR ')
    writer.deleteWhere(table as keyof typeof codeColumns, condition, ...known.map(() => codeId))
  }
}
