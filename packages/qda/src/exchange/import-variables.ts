import { importedCodeNameLengthMax } from '../limits.js'
import type { RefiProject, RefiVariable, RefiVariableValue } from '../refi/model.js'
import { sourceNameKey } from '../text/name-key.js'
import type { VariableKind } from './export-variables.js'
import { FreeNames } from './free-names.js'
import { type ImportContext, importedName } from './import-context.js'
import { keepGuidOfName } from './kept-guids.js'

/** Attributes of cases, sources and journals. */
export class ImportVariables {
  readonly #context: ImportContext
  /** Of the project, by kind. */
  readonly #types: Readonly<Record<VariableKind, string[]>> = { case: [], file: [], journal: [] }
  readonly #names = new Map<string, string>()

  constructor(context: ImportContext, project: Pick<RefiProject, 'variables' | 'cases' | 'sources' | 'notes'>) {
    this.#context = context
    const { db } = context.writer
    const rows = db.all<{ readonly name: string; readonly kind: string }>(
      "SELECT name, caseOrFile AS kind FROM main.attribute_type WHERE typeof(name) = 'text' ORDER BY name",
    )
    for (const { name, kind } of rows) if (isKind(kind)) this.#types[kind].push(name)
    const names = new FreeNames(
      rows.map(({ name }) => name),
      sourceNameKey,
    )
    const uses = usesOf(project)
    for (const variable of project.variables) {
      // Only a value says whose it is.
      for (const kind of kindsOf(variable.guid, uses)) this.#addType(variable, kind, names)
    }
  }

  /** A row for each attribute of the kind, as the original has it. */
  addValues(kind: VariableKind, id: number, values: readonly RefiVariableValue[]): void {
    const { writer } = this.#context
    const texts = this.#textsOf(kind, values)
    for (const name of this.#types[kind]) {
      const row = { name, attr_type: kind, value: texts.get(name) ?? '', id }
      writer.insert('attribute', { ...row, date: writer.act.date, owner: writer.coder() })
    }
  }

  /** Of something that the project has already: what is there stays. */
  joinValues(kind: VariableKind, id: number, guid: string, values: readonly RefiVariableValue[]): void {
    const { writer, losses } = this.#context
    for (const [name, value] of this.#textsOf(kind, values)) {
      const row = writer.db.get<{ readonly attrid: number; readonly value: unknown }>(
        'SELECT attrid, value FROM main.attribute WHERE name = ? AND attr_type = ? AND id = ?',
        ...[name, kind, id],
      )
      if (row === undefined) {
        const author = { date: writer.act.date, owner: writer.coder() }
        writer.insert('attribute', { name, attr_type: kind, value, id, ...author })
      } else if (row.value === null || row.value === '') writer.update('attribute', row.attrid, { value })
      else if (row.value !== value)
        losses.add('VariableValue', guid, `its ${name.slice(0, 100)} "${value.slice(0, 100)}"`)
    }
  }

  #addType({ guid, name: given, type, description }: RefiVariable, kind: VariableKind, names: FreeNames): void {
    const { writer, counts, losses } = this.#context
    const rules = { otherwise: 'Unnamed variable', lengthMax: importedCodeNameLengthMax, slashes: 'allowed' } as const
    const name = importedName(this.#context, { element: 'Variable', guid, name: given }, rules)
    const existing = this.#types[kind].find((other) => sourceNameKey(other) === sourceNameKey(name))
    const isJoined = existing !== undefined && ![...this.#names.values()].includes(existing)
    const stored = isJoined ? existing : names.take(name)
    this.#names.set(`${kind} ${guid}`, stored)
    if (isJoined) {
      counts.join('variables')
      return
    }
    if (stored !== name)
      losses.add(
        'Variable',
        guid,
        `its name "${name.slice(0, 100)}", which is taken: it is now "${stored.slice(0, 110)}"`,
      )
    const valuetype = type === 'Integer' || type === 'Float' ? 'numeric' : 'character'
    const author = { date: writer.act.date, owner: writer.coder() }
    writer.insert('attribute_type', { name: stored, ...author, memo: description ?? '', caseOrFile: kind, valuetype })
    keepGuidOfName(writer, 'variable', stored, guid)
    counts.create('variables')
    this.#addEmpty(kind, stored)
    this.#types[kind].push(stored)
  }

  /** To all that is there already. */
  #addEmpty(kind: VariableKind, name: string): void {
    const { writer } = this.#context
    const { table, key } = carriers[kind]
    for (const { id } of writer.db.all<{ readonly id: number }>(`SELECT ${key} AS id FROM main.${table}`)) {
      const row = { name, attr_type: kind, value: '', id }
      writer.insert('attribute', { ...row, date: writer.act.date, owner: writer.coder() })
    }
  }

  #textsOf(kind: VariableKind, values: readonly RefiVariableValue[]): ReadonlyMap<string, string> {
    const texts = new Map<string, string>()
    for (const { variable, value } of values) {
      const name = this.#names.get(`${kind} ${variable}`)
      if (name === undefined)
        this.#context.losses.add('VariableValue', variable, 'all of it, for there is no such variable')
      else if (value !== null && value.text !== '') texts.set(name, value.text)
    }
    return texts
  }
}

const carriers = {
  case: { table: 'cases', key: 'caseid' },
  file: { table: 'source', key: 'id' },
  journal: { table: 'journal', key: 'jid' },
} as const

const isKind = (kind: unknown): kind is VariableKind => typeof kind === 'string' && Object.hasOwn(carriers, kind)

type Uses = Readonly<Record<VariableKind, ReadonlySet<string>>>

function usesOf({ cases, sources, notes }: Pick<RefiProject, 'cases' | 'sources' | 'notes'>): Uses {
  const used = (things: readonly { readonly values: readonly RefiVariableValue[] }[]) =>
    new Set(things.flatMap(({ values }) => values.map(({ variable }) => variable)))
  return { case: used(cases), file: used(sources), journal: used(notes) }
}

function kindsOf(guid: string, uses: Uses): readonly VariableKind[] {
  const kinds = (['case', 'file', 'journal'] as const).filter((kind) => uses[kind].has(guid))
  return kinds.length === 0 ? ['case'] : kinds
}
