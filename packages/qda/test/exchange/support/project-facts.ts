import type Database from 'better-sqlite3'

/** What a project says, without ids, so that two of them can be compared. Dates of things that have none in the format are left out. */
export function projectFacts(db: Database.Database): Record<string, readonly unknown[]> {
  const open = (column: string) =>
    `CASE WHEN instr(${column}, '#####') > 0 THEN rtrim(substr(${column}, 1, instr(${column}, '#####') - 1), ' ' || char(10)) ELSE ${column} END AS memo`
  const rows = (sql: string) => db.prepare(sql).all()
  return {
    categories: rows(
      `SELECT c.name, ${open('c.memo')}, p.name AS parent FROM code_cat c LEFT JOIN code_cat p ON p.catid = c.supercatid ORDER BY 1`,
    ),
    codes: rows(
      `SELECT c.name, ${open('c.memo')}, c.color, k.name AS category, p.name AS parent FROM code_name c
       LEFT JOIN code_cat k ON k.catid = c.catid LEFT JOIN code_name p ON p.cid = c.supercid ORDER BY 1`,
    ),
    sources: rows(
      `SELECT s.name, s.fulltext, s.mediapath, ${open('s.memo')}, s.owner, s.date, t.name AS transcript FROM source s
       LEFT JOIN source t ON t.id = s.av_text_id ORDER BY 1`,
    ),
    codings: rows(
      `SELECT s.name AS source, c.name AS code, pos0, pos1, seltext, t.owner, t.date, ${open('t.memo')} FROM code_text t
       JOIN source s ON s.id = t.fid JOIN code_name c ON c.cid = t.cid ORDER BY 1, 3, 4, 2, 6`,
    ),
    images: rows(
      `SELECT s.name AS source, c.name AS code, x1, y1, width, height, pdf_page, t.owner, t.date, ${open('t.memo')}
       FROM code_image t JOIN source s ON s.id = t.id JOIN code_name c ON c.cid = t.cid ORDER BY 1, 2`,
    ),
    recordings: rows(
      `SELECT s.name AS source, c.name AS code, pos0, pos1, t.owner, t.date FROM code_av t
       JOIN source s ON s.id = t.id JOIN code_name c ON c.cid = t.cid ORDER BY 1, 2`,
    ),
    annotations: rows(
      `SELECT s.name AS source, pos0, pos1, a.owner, a.date, ${open('a.memo')} FROM annotation a JOIN source s ON s.id = a.fid ORDER BY 1, 2`,
    ),
    cases: rows(`SELECT name, ${open('memo')} FROM cases ORDER BY 1`),
    parts: rows(
      `SELECT c.name AS one, s.name AS source, pos0, pos1, ${open('t.memo')} FROM case_text t
       JOIN cases c ON c.caseid = t.caseid JOIN source s ON s.id = t.fid ORDER BY 1, 2`,
    ),
    variables: rows(`SELECT name, ${open('memo')}, caseOrFile, valuetype FROM attribute_type ORDER BY 1`),
    values: rows(
      `SELECT a.name, attr_type, value, coalesce(s.name, c.name, j.name) AS whose FROM attribute a
       LEFT JOIN source s ON attr_type = 'file' AND s.id = a.id LEFT JOIN cases c ON attr_type = 'case' AND c.caseid = a.id
       LEFT JOIN journal j ON attr_type = 'journal' AND j.jid = a.id ORDER BY 1, 2, 4`,
    ),
    journals: rows('SELECT name, jentry, owner, date FROM journal ORDER BY 1'),
    project: rows(`SELECT ${open('memo')}, date FROM project`),
  }
}
