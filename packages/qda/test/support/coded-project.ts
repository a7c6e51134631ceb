import { openQdaForTest, type QdaForTest } from './whole-qda.js'

/** How a row of code_text is written by somebody else. */
export interface StoredCoding {
  readonly id?: number
  readonly code?: number | null
  readonly source?: number | null
  readonly at: readonly [number, number]
  readonly text: string | null
  readonly owner?: string
  readonly memo?: string
  readonly important?: 1
}

/** A whole worker with a project open that has texts 1, 2, … and codes 1, 2, … of the coder ada. */
export class CodedProject implements AsyncDisposable {
  readonly qda: QdaForTest
  readonly path: string

  constructor(qda: QdaForTest, path: string) {
    this.qda = qda
    this.path = path
  }

  get db() {
    return this.qda.db(this.path)
  }

  call(...given: Parameters<QdaForTest['call']>) {
    return this.qda.call(...given)
  }

  /** Its id. */
  coding({ id, code = 1, source = 1, at, text, owner = 'ada', memo = '', important }: StoredCoding): number {
    const { lastInsertRowid } = this.db
      .prepare(
        `INSERT INTO code_text (ctid, cid, fid, pos0, pos1, seltext, owner, memo, date, important)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, '2026-01-01 10:00:00', ?)`,
      )
      .run(id ?? null, code, source, ...at, text, owner, memo, important ?? null)
    return Number(lastInsertRowid)
  }

  codings() {
    return this.db.prepare('SELECT ctid, cid, fid, pos0, pos1, seltext, owner FROM code_text ORDER BY ctid').all()
  }

  setText(id: number, text: string): void {
    this.db.prepare('UPDATE source SET fulltext = ? WHERE id = ?').run(text, id)
  }

  [Symbol.asyncDispose]() {
    return this.qda[Symbol.asyncDispose]()
  }
}

export const operator = { session: 'desk', principal: 'operator:olga', roles: ['operator'] } as const

export async function openCodedProject(
  texts: readonly string[],
  { codes = ['Hope', 'Fear'], config }: { readonly codes?: readonly string[]; readonly config?: unknown } = {},
): Promise<CodedProject> {
  const qda = await openQdaForTest({ config })
  const path = await qda.openProject()
  const db = qda.db(path)
  const source = db.prepare(
    "INSERT INTO source (name, fulltext, owner, memo, date) VALUES (?, ?, 'ada', '', '2026-01-01')",
  )
  for (const [index, text] of texts.entries()) source.run(`text ${index + 1}`, text)
  const code = db.prepare(
    "INSERT INTO code_name (name, color, owner, memo, date) VALUES (?, '#F7D358', 'ada', '', '2026-01-01')",
  )
  for (const name of codes) code.run(name)
  return new CodedProject(qda, path)
}
