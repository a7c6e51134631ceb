import type { Database } from 'better-sqlite3'

/** Sources with these texts, with the ids 1, 2, … */
export function addTexts(db: Database, ...texts: readonly string[]): void {
  const insert = db.prepare(
    "INSERT INTO source (name, fulltext, memo, owner, date) VALUES (?, ?, '', 'ada', '2026-01-01')",
  )
  for (const [index, text] of texts.entries()) insert.run(`text ${index + 1}`, text)
}

/** Codes with these names, with the ids 1, 2, … */
export function addCodes(db: Database, ...names: readonly string[]): void {
  const insert = db.prepare(
    "INSERT INTO code_name (name, memo, owner, date, color) VALUES (?, '', 'ada', '2026-01-01', '#F7D358')",
  )
  for (const name of names) insert.run(name)
}

/** Code and source by id, code points, and what stands there unless told. */
export function addCoding(
  db: Database,
  [cid, fid, pos0, pos1]: readonly [number, number, number, number],
  owner = 'ada',
  seltext?: string,
): void {
  const text = db
    .prepare('SELECT substr(fulltext, ?, ?) FROM source WHERE id = ?')
    .pluck()
    .get(pos0 + 1, pos1 - pos0, fid)
  db.prepare(
    "INSERT INTO code_text (cid, fid, seltext, pos0, pos1, owner, memo, date) VALUES (?, ?, ?, ?, ?, ?, '', '2026-01-01')",
  ).run(cid, fid, seltext ?? text, pos0, pos1, owner)
}
