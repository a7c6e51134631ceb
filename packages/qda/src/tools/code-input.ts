import { type FailureCode, QdaFailure } from '../failure.js'
import { colorOf } from '../project/colors.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { id } from './common-input.js'

/** Where in the codebook a code is. */
export const codePlaceInput = {
  category_id: id('Of list_categories; null: none').nullish(),
  parent_code_id: id('The code that it is a sub-code of; null: none. Not together with a category').nullish(),
}

export function requireOnePlace(categoryId: number | null | undefined, parentCodeId: number | null | undefined): void {
  if (categoryId == null || parentCodeId == null) return
  throw new QdaFailure(
    'INVALID_ARGUMENT',
    'A code is in a category or below another code: give category_id or parent_code_id, not both.',
    { details: { path: 'parent_code_id' } },
  )
}

/** Throws INVALID_ARGUMENT where the project is older than sub-codes. */
export function requireSubcodes(db: ProjectDatabase): void {
  if (db.has('code_name', 'supercid')) return
  throw new QdaFailure(
    'INVALID_ARGUMENT',
    'This project is of a QualCoder that has no sub-codes: give category_id instead, or open it in QualCoder 4 first.',
    { details: { path: 'parent_code_id' } },
  )
}

/** As it is stored. */
export function givenColor(text: string, code: FailureCode): string {
  const color = colorOf(text)
  if (color !== undefined) return color
  throw new QdaFailure(code, `'${text.slice(0, 50)}' is no colour: give #RGB or #RRGGBB, e.g. #81BEF7`, {
    details: { path: 'color' },
  })
}
