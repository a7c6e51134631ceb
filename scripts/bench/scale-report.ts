import { numberText } from './chart-document.js'
import type { Outcome, Row } from './scale-experiment.js'

/** A table for people: one column for each figure that a row has. */
export function rowsTable(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))]
  const body = rows.map(({ what, count, figures }) => [
    what,
    numberText(count),
    ...columns.map((column) => (figures[column] === undefined ? '' : numberText(figures[column]))),
  ])
  const all = [['what', 'of', ...columns], ...body]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** For programs; figures as they were measured. */
export function outcomeJson({ rows, checks, notes }: Outcome): object {
  return { rows, checks, ...(notes.length > 0 && { notes }) }
}
