import { importedCodeNameLengthMax } from '../limits.js'
import { allCategories } from '../project/categories.js'
import { allCodes } from '../project/codes.js'
import { paletteColors } from '../project/colors.js'
import type { RefiCode } from '../refi/model.js'
import { codeNameKey } from '../text/name-key.js'
import { publicPart } from '../text/private-memo.js'
import { FreeNames } from './free-names.js'
import { type ImportContext, importedName } from './import-context.js'
import { keepGuid, rowFingerprint } from './kept-guids.js'

/**
 * Makes codes and categories of a document's forest. One whose name the project has already, whatever its case, is joined with that
 * one, which stays as it is. `used`: GUIDs of codes that something is coded with; these are codes whatever the document says.
 */
export function importCodes(
  context: ImportContext,
  codes: readonly RefiCode[],
  used: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const importer = new CodeImporter(context, used)
  for (const code of codes) importer.add(code, top)
  return importer.ids
}

interface Place {
  readonly category: number | null
  readonly code: number | null
}

const top: Place = { category: null, code: null }

interface Existing {
  readonly id: number
  readonly memo: string | null
}

class CodeImporter {
  /** Of codes, by their GUIDs. */
  readonly ids = new Map<string, number>()
  readonly #context: ImportContext
  readonly #used: ReadonlySet<string>
  readonly #nests: boolean
  readonly #codes: Map<string, Existing>
  readonly #categories: Map<string, Existing>
  readonly #codeNames: FreeNames
  readonly #categoryNames: FreeNames
  #colors = 0

  constructor(context: ImportContext, used: ReadonlySet<string>) {
    const { db } = context.writer
    const codes = allCodes(db)
    const categories = allCategories(db)
    this.#context = context
    this.#used = used
    this.#nests = db.has('code_name', 'supercid')
    this.#codes = new Map(codes.map((code) => [codeNameKey(code.name), code]))
    this.#categories = new Map(categories.map((category) => [codeNameKey(category.name), category]))
    this.#codeNames = new FreeNames(
      codes.map(({ name }) => name),
      codeNameKey,
    )
    this.#categoryNames = new FreeNames(
      categories.map(({ name }) => name),
      codeNameKey,
    )
  }

  add(code: RefiCode, place: Place): void {
    const isCategory = !code.isCodable && place.code === null && !this.#used.has(code.guid)
    const inside = isCategory ? this.#addCategory(code, place) : this.#addCode(code, place)
    for (const child of code.codes) this.add(child, inside)
  }

  #addCategory(code: RefiCode, place: Place): Place {
    const { writer, counts } = this.#context
    const name = this.#nameOf(code)
    const existing = this.#joinable(this.#categories, code, name)
    if (existing !== undefined) {
      counts.join('categories')
      return { category: existing.id, code: null }
    }
    const { date } = writer.act
    const owner = writer.coder()
    const row = { name: this.#free(this.#categoryNames, code, name), owner, date, memo: code.description ?? '' }
    const id = writer.insert('code_cat', { ...row, supercatid: place.category }) as number
    keepGuid(writer, 'category', id, rowFingerprint(owner, date), code.guid)
    counts.create('categories')
    return { category: id, code: null }
  }

  #addCode(code: RefiCode, place: Place): Place {
    const { counts, losses } = this.#context
    if (!code.isCodable) losses.add('Code', code.guid, 'that it only groups others: it is a code now')
    const name = this.#nameOf(code)
    const existing = this.#joinable(this.#codes, code, name)
    const id = existing?.id ?? this.#newCode(code, name, place)
    counts[existing === undefined ? 'create' : 'join']('codes')
    this.ids.set(code.guid, id)
    if (this.#nests) return { category: null, code: id }
    if (code.codes.length > 0)
      losses.add('Code', code.guid, 'its sub-codes, which stand beside it: this project is too old to nest codes')
    return place
  }

  #newCode(code: RefiCode, name: string, place: Place): number {
    const { writer } = this.#context
    const { date } = writer.act
    const owner = writer.coder()
    const color = code.color ?? paletteColors[this.#colors++ % paletteColors.length]!
    const row = { name: this.#free(this.#codeNames, code, name), memo: code.description ?? '', owner, date, color }
    const id = writer.insert('code_name', { ...row, catid: place.category, supercid: place.code }) as number
    keepGuid(writer, 'code', id, rowFingerprint(owner, date), code.guid)
    return id
  }

  #nameOf({ guid, name }: RefiCode): string {
    const rules = { otherwise: 'Unnamed code', lengthMax: importedCodeNameLengthMax, slashes: 'allowed' } as const
    return importedName(this.#context, { element: 'Code', guid, name }, rules)
  }

  /** Once: a second one of that name in the document is another code. */
  #joinable(existing: Map<string, Existing>, { guid, description }: RefiCode, name: string): Existing | undefined {
    const key = codeNameKey(name)
    const found = existing.get(key)
    existing.delete(key)
    if (found !== undefined && description !== null && description !== (publicPart(found.memo) ?? ''))
      this.#context.losses.add(
        'Code',
        guid,
        `its description: the one that the project has of "${name.slice(0, 100)}" stays`,
      )
    return found
  }

  #free(names: FreeNames, { guid }: RefiCode, name: string): string {
    const free = names.take(name)
    if (free !== name)
      this.#context.losses.add(
        'Code',
        guid,
        `its name "${name.slice(0, 100)}", which is taken: it is now "${free.slice(0, 110)}"`,
      )
    return free
  }
}
