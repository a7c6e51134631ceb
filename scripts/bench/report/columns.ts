/** Rows under heads: the first column to the left, all others to the right. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((word, column) => Math.max(word.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (row[column] ?? '')[column === 0 ? 'padEnd' : 'padStart'](width))
      .join('  ')
      .trimEnd()
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
}
