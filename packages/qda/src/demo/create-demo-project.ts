import { join } from 'node:path'
import type { Clock } from '@callboard/worker/clock'
import Database from 'better-sqlite3'
import { createProjectFolder } from '../format/create-project-folder.js'
import { localTime } from '../format/local-time.js'
import { databaseFileName, newProjectAt } from '../format/project-path.js'
import { TextIndex } from '../text/text-index.js'
import { cases, categories, coders, codes, codings, journal, sources } from './village.js'

export interface DemoProject {
  /** Of the new folder. */
  readonly path: string
  readonly name: string
  readonly sources: number
  readonly codes: number
  readonly codings: number
}

/**
 * A small project as the original makes them, with two coders who do not always agree. Throws a QdaFailure
 * PROJECT_NOT_CREATED where there is something already, or the name does not end in `.qda`.
 */
export async function createDemoProject(path: string, clock: Pick<Clock, 'now'>): Promise<DemoProject> {
  const date = localTime(clock.now())
  const place = await newProjectAt(path, [])
  createProjectFolder(place, { coder: coders.ada, now: clock.now() })
  const db = new Database(join(place.path, databaseFileName), { fileMustExist: true })
  try {
    db.transaction(() => new Filling(db, date).fill())()
  } finally {
    db.close()
  }
  const { path: folder, name } = place
  return { path: folder, name, sources: sources.length, codes: codes.length, codings: codings.length }
}

class Filling {
  readonly #db: Database.Database
  readonly #date: string

  constructor(db: Database.Database, date: string) {
    this.#db = db
    this.#date = date
  }

  fill(): void {
    const common = { owner: coders.ada, date: this.#date }
    this.#insert('coder_names', { name: coders.ben, visibility: 1 })
    const sourceIds = this.#named('source', sources, ({ name, memo, text }) => ({
      name,
      memo,
      fulltext: text,
      ...common,
    }))
    const categoryNames = categories.map((name) => ({ name }))
    const categoryIds = this.#named('code_cat', categoryNames, ({ name }) => ({ name, memo: '', ...common }))
    const codeIds = this.#named('code_name', codes, ({ name, color, category, memo }) => ({
      ...{ name, color, memo, catid: categoryIds.get(category)! },
      ...common,
    }))
    for (const { source, code, coder, quote, memo = '' } of codings) {
      const text = textOf(source)
      const pos0 = text.toCodePoint(text.text.indexOf(quote))
      const pos1 = pos0 + new TextIndex(quote).length
      const ids = { cid: codeIds.get(code)!, fid: sourceIds.get(source)! }
      this.#insert('code_text', { ...ids, seltext: quote, pos0, pos1, memo, ...common, owner: coder })
    }
    this.#fillCases(sourceIds, common)
    this.#insert('journal', { name: journal.name, jentry: journal.text, ...common })
    this.#db
      .prepare('UPDATE project SET memo = ?')
      .run('What people of a village say about its community garden. All of it is made up.')
  }

  #fillCases(sourceIds: ReadonlyMap<string, number>, common: Columns): void {
    const types = { role: 'character', 'years in the garden': 'numeric' }
    for (const [name, valuetype] of Object.entries(types))
      this.#insert('attribute_type', { name, memo: '', caseOrFile: 'case', valuetype, ...common })
    for (const { name, source, role, years } of cases) {
      const caseid = this.#insert('cases', { name, memo: '', ...common })
      const pos1 = textOf(source).length
      this.#insert('case_text', { caseid, fid: sourceIds.get(source)!, pos0: 0, pos1, memo: '', ...common })
      const values = { role, 'years in the garden': years }
      for (const [attribute, value] of Object.entries(values))
        this.#insert('attribute', { name: attribute, attr_type: 'case', value, id: caseid, ...common })
    }
  }

  /** The ids by name. */
  #named<Item extends { readonly name: string }>(
    table: string,
    items: readonly Item[],
    row: (item: Item) => Columns,
  ): ReadonlyMap<string, number> {
    return new Map(items.map((item) => [item.name, this.#insert(table, row(item))]))
  }

  #insert(table: string, row: Columns): number {
    const columns = Object.keys(row)
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    return Number(this.#db.prepare(sql).run(...Object.values(row)).lastInsertRowid)
  }
}

type Columns = { readonly [column: string]: string | number }

const textOf = (name: string): TextIndex => new TextIndex(sources.find((source) => source.name === name)!.text)
