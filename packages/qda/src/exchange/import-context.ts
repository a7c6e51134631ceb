import type { Writer } from '../changes/writer.js'
import type { LossList } from '../refi/loss-list.js'
import type { RefiProject } from '../refi/model.js'
import { ImportCounts } from './import-counts.js'
import { ImportUsers } from './import-users.js'
import { Moments } from './moments.js'

/** What all parts of one import share. */
export interface ImportContext {
  readonly writer: Writer
  readonly losses: LossList
  readonly counts: ImportCounts
  readonly users: ImportUsers
  readonly moments: Moments
}

export function importContext(writer: Writer, losses: LossList, users: RefiProject['users']): ImportContext {
  const counts = new ImportCounts()
  return { writer, losses, counts, users: new ImportUsers(writer, users, losses, counts), moments: new Moments() }
}

/** As it is stored: on one line, without what no name has, and not too long. What was changed is a loss. */
export function importedName(
  { losses }: Pick<ImportContext, 'losses'>,
  { element, guid, name }: { readonly element: string; readonly guid: string; readonly name: string | null },
  { otherwise, lengthMax, slashes }: { otherwise: string; lengthMax: number; slashes: 'allowed' | 'refused' },
): string {
  const given = name ?? ''
  const plain = given.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd')
  const safe = (slashes === 'refused' ? plain.replace(/[/\\]/g, '_') : plain).trim()
  const characters = safe.length > lengthMax ? [...safe] : []
  const short = characters.length > lengthMax ? characters.slice(0, lengthMax).join('').trim() : safe
  const stored = short || otherwise
  if (stored !== given)
    losses.add(element, guid, `its name "${given.slice(0, 100)}": it is now "${stored.slice(0, 100)}"`)
  return stored
}
