import { journalNameLengthMax } from '../limits.js'
import { allJournals } from '../project/journals.js'
import type { RefiText } from '../refi/model.js'
import { sourceNameKey } from '../text/name-key.js'
import { FreeNames } from './free-names.js'
import { type ImportContext, importedName } from './import-context.js'
import { type ImportWork, readContent } from './import-sources.js'
import type { ImportVariables } from './import-variables.js'
import { keepGuid, rowFingerprint } from './kept-guids.js'

/** Names that notes have as journals, by their GUIDs; those that are taken have others. */
export function journalNames(context: ImportContext, notes: readonly RefiText[]): ReadonlyMap<string, string> {
  const taken = allJournals(context.writer.db).map(({ name }) => name)
  const names = new FreeNames(taken, sourceNameKey)
  return new Map(
    notes.map(({ guid, name }) => {
      const rules = { otherwise: 'Note', lengthMax: journalNameLengthMax, slashes: 'refused' } as const
      const wanted = importedName({ losses: context.losses }, { element: 'Note', guid, name: name ?? 'Note' }, rules)
      const free = names.take(wanted)
      if (free !== wanted)
        context.losses.add(
          'Note',
          guid,
          `its name "${wanted.slice(0, 100)}", which is taken: it is now "${free.slice(0, 300)}"`,
        )
      return [guid, free]
    }),
  )
}

export function* importJournals(
  context: ImportContext & { readonly variables: ImportVariables },
  notes: readonly RefiText[],
  names: ReadonlyMap<string, string>,
): ImportWork<void> {
  const { writer, users, moments, losses, counts, variables } = context
  for (const note of new Map(notes.map((each) => [each.guid, each])).values()) {
    const { guid, content, description, selections, codings, values } = note
    const text = yield* readContent(content)
    if (text.kind === 'unreadable' && content !== null) losses.add('Note', guid, `its text, for ${text.what}`)
    const marks = selections.length + codings.length
    if (marks > 0) losses.add('Note', guid, `its ${marks} selections and codings, which journals do not have`)
    const entry = [description, text.kind === 'text' ? plainText(text.text) : null].filter(Boolean).join('\n')
    const owner = users.nameOf(note.creatingUser)
    const date = moments.toLocal(note.createdAt, writer.act.date)
    const id = writer.insert('journal', { name: names.get(guid)!, jentry: entry, date, owner }) as number
    keepGuid(writer, 'journal', id, rowFingerprint(owner, date), guid)
    variables.addValues('journal', id, values)
    counts.create('journals')
  }
}

const plainText = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
