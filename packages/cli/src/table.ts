import { escapeControls } from './escape-controls.js'

/** Lines with a head, columns as wide as their widest cell. No cell can make a line of its own. */
export function tableOf(title: string, rows: readonly (readonly string[])[]): string[] {
  const table = [title.split(/ +/), ...rows.map((row) => row.map((cell) => escapeControls(cell)))]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return table.map(line)
}
