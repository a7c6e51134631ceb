import { normalValue } from '../refi/attribute-values.js'
import type { RefiVariable, RefiVariableValue } from '../refi/model.js'
import { publicPart } from '../text/private-memo.js'
import type { ExportContext } from './export-context.js'

export type VariableKind = 'case' | 'file' | 'journal'

/** Attributes, and what they are of whom. */
export class ExportVariables {
  readonly all: readonly RefiVariable[]
  readonly #values = new Map<string, RefiVariableValue[]>()

  constructor({ project: { db }, guids }: Pick<ExportContext, 'project' | 'guids'>) {
    if (!db.has('attribute_type')) {
      this.all = []
      return
    }
    const types = db.all<TypeRow>(
      `SELECT name, CAST(memo AS TEXT) AS memo, caseOrFile AS kind, valuetype AS type FROM main.attribute_type
       WHERE typeof(name) = 'text' ORDER BY name`,
    )
    const variables = new Map(
      types.map(({ name, memo, type }) => {
        const guid = guids.of('variable', name, guids.kept.ofName('variable', name))
        const kind = type === 'numeric' ? ('Float' as const) : ('Text' as const)
        return [name, { guid, name: name || 'Unnamed', type: kind, description: publicPart(memo) }]
      }),
    )
    this.all = [...variables.values()]
    const unused = this.#addValues(db.all<ValueRow>(selectValues), variables)
    // Only a value says whose variable it is.
    for (const { name, kind } of types) {
      if (unused.has(name)) this.#addEmpty(kind, variables.get(name)!, db.get<ValueRow>(firstCarrier, kind, name))
    }
  }

  of(kind: VariableKind, id: number): readonly RefiVariableValue[] {
    return this.#values.get(`${kind} ${id}`) ?? []
  }

  #addValues(rows: readonly ValueRow[], variables: ReadonlyMap<string, RefiVariable>): ReadonlySet<string> {
    const unused = new Set(variables.keys())
    for (const { name, kind, id, value } of rows) {
      const variable = variables.get(name)
      if (variable === undefined) continue
      unused.delete(name)
      this.#add(kind, id, { variable: variable.guid, value: typedValue(variable, value) })
    }
    return unused
  }

  #addEmpty(kind: string, { guid }: RefiVariable, carrier: Pick<ValueRow, 'id'> | undefined): void {
    if (carrier !== undefined) this.#add(kind, carrier.id, { variable: guid, value: null })
  }

  #add(kind: string, id: number, value: RefiVariableValue): void {
    const values = this.#values.get(`${kind} ${id}`)
    if (values === undefined) this.#values.set(`${kind} ${id}`, [value])
    else values.push(value)
  }
}

/** A number that is spelled otherwise stays a text. */
function typedValue({ type }: RefiVariable, text: string): NonNullable<RefiVariableValue['value']> {
  const isSame = type !== 'Text' && normalValue(type, text) === text
  return { type: isSame ? type : 'Text', text }
}

type TypeRow = {
  readonly name: string
  readonly memo: string | null
  readonly kind: string
  readonly type: string | null
}

type ValueRow = { readonly name: string; readonly kind: string; readonly id: number; readonly value: string }

const selectValues = `SELECT name, attr_type AS kind, id, CAST(value AS TEXT) AS value FROM main.attribute
  WHERE typeof(name) = 'text' AND typeof(id) = 'integer' AND value IS NOT NULL AND value <> '' ORDER BY id, name`

const firstCarrier = `SELECT id FROM main.attribute WHERE attr_type = ? AND name = ? AND typeof(id) = 'integer' ORDER BY id LIMIT 1`
