/** A column that holds an id, as a query reads it: other programs leave anything in any column, and more digits than a number has here. */
export const wholeColumn = (column: string): string =>
  `CASE WHEN typeof(${column}) = 'integer' AND ${column} BETWEEN -${Number.MAX_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${column} END`
