import { visible } from '../project/coders.js'
import { allFolders } from '../project/folders.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { projectRow } from '../project/project-row.js'
import type { RefiLink, RefiProject, RefiText } from '../refi/model.js'
import { publicPart } from '../text/private-memo.js'
import { TextIndex } from '../text/text-index.js'
import { ExportCases } from './export-cases.js'
import { exportCodes } from './export-codes.js'
import type { ExportContext } from './export-context.js'
import { ExportMedia } from './export-media.js'
import { nobody } from './export-selections.js'
import { type ExportedSources, exportSources } from './export-sources.js'
import { ExportVariables } from './export-variables.js'
import { nameAuthors } from './exported-rows.js'
import { ExportedText } from './exported-text.js'
import { rowFingerprint } from './kept-guids.js'

/** A project on its way out: its model, and its texts one at a time. */
export interface ExportedProject {
  readonly project: RefiProject
  readonly media: ExportMedia
  /** Complete once the document has been written. */
  counts(): ExportCounts
  /** Of a file of the package. Throws PROJECT_BUSY where another program has written since. */
  readText(fileName: string): string
}

export interface ExportCounts {
  readonly users: number
  readonly categories: number
  readonly codes: number
  readonly variables: number
  readonly cases: number
  readonly sources: number
  readonly codings: number
  readonly annotations: number
  readonly journals: number
  readonly files: number
}

export async function exportProject(context: ExportContext, origin: string): Promise<ExportedProject> {
  const { db } = context.project
  const { codes, guids: codeGuids, codeCount, categoryCount } = exportCodes(context)
  await nameAuthors(context)
  const variables = new ExportVariables(context)
  const cases = await ExportCases.of(context)
  const media = new ExportMedia(context)
  const sources = await exportSources({ ...context, codes: codeGuids, variables, cases, media })
  const journals = journalsOf(context, variables)
  const about = projectRow(db)
  const author = {
    ...nobody,
    creatingUser: context.users.guidOf(about.codername),
    createdAt: context.moments.ofLocal(about.date),
  }
  noteWhatStays(context)
  const project: RefiProject = {
    ...{
      ...author,
      name: context.project.name || 'Project',
      origin,
      basePath: context.includeMedia ? null : context.project.path,
    },
    ...{
      codes,
      variables: variables.all,
      cases: cases.all(variables),
      sources: sources.sources,
      notes: journals.notes,
    },
    ...{ links: linksOf(context, sources), sets: [], graphCount: graphCount(context) },
    ...{ users: context.users.all, description: publicPart(about.memo), noteRefs: [] },
  }
  const readText = (fileName: string): string => {
    context.requireUnchanged()
    const sourceId = sources.texts.get(fileName)
    if (sourceId !== undefined) return new ExportedText(context.project.texts.get(sourceId)!).text
    return journalText(context, journals.ids.get(fileName)!)
  }
  return {
    ...{ project, media, readText },
    counts: () => ({
      ...{ users: project.users.length, categories: categoryCount, codes: codeCount },
      ...{ variables: project.variables.length, cases: project.cases.length, sources: project.sources.length },
      ...{ ...sources.counts(), journals: project.notes.length, files: media.count },
    }),
  }
}

function journalsOf({ project: { db }, guids, users, moments }: ExportContext, variables: ExportVariables) {
  const ids = new Map<string, number>()
  const rows = db.all<{ readonly id: number; readonly name: string; readonly owner: string; readonly date: string }>(
    "SELECT jid AS id, coalesce(CAST(name AS TEXT), '') AS name, owner, date FROM main.journal ORDER BY jid",
  )
  const notes = rows.map(({ id, name, owner, date }): RefiText => {
    const guid = guids.of('journal', id, guids.kept.ofRow('journal', id, rowFingerprint(owner, date)))
    ids.set(`${guid}.txt`, id)
    const author = { ...nobody, creatingUser: users.guidOf(owner), createdAt: moments.ofLocal(date) }
    const content = { kind: 'file', path: { kind: 'internal', path: `${guid}.txt` } } as const
    return {
      ...{ guid, name: name || 'Unnamed', description: null, ...author, content, richTextPath: null },
      ...{ codings: [], noteRefs: [], values: variables.of('journal', id), selections: [] },
    }
  })
  return { notes, ids }
}

function journalText({ project: { db } }: ExportContext, id: number): string {
  const entry = db.value<string>("SELECT coalesce(CAST(jentry AS TEXT), '') FROM main.journal WHERE jid = ?", id)
  return new ExportedText(new TextIndex(entry ?? '')).text
}

/** A recording's transcript is a source of its own; the link says whose it is. */
function linksOf({ project: { db }, guids }: ExportContext, { guids: sources }: ExportedSources): readonly RefiLink[] {
  if (!db.has('source', 'av_text_id')) return []
  const rows = db.all<{ readonly id: number; readonly text: number }>(
    "SELECT id, av_text_id AS text FROM main.source WHERE typeof(av_text_id) = 'integer' ORDER BY id",
  )
  return rows.flatMap(({ id, text }): RefiLink[] => {
    const origin = sources.get(id)
    const target = sources.get(text)
    if (origin === undefined || target === undefined) return []
    const guid = guids.part(origin, transcriptLink)
    return [{ guid, name: transcriptLink, direction: 'OneWay', color: null, origin, target, noteRefs: [] }]
  })
}

export const transcriptLink = 'transcript'

/** The format has no place for it. */
function noteWhatStays({ project: { db }, losses }: ExportContext): void {
  const { length } = allFolders(db)
  if (length > 0) losses.add('Folder', null, `${length} folders of sources, and what is in which`)
  const marked = ['code_text', 'code_image', 'code_av'].reduce((count, table) => count + markedIn(db, table), 0)
  if (marked > 0) losses.add('Coding', null, `how important ${marked} codings are`)
  const described = db.value(
    `SELECT count(*) FROM side.source_meta WHERE origin IS NOT NULL OR language IS NOT NULL OR topics IS NOT NULL
     OR (status IS NOT NULL AND status <> 'imported')`,
  )
  if (described) losses.add('Source', null, `status, origin, language and topics of ${described} sources`)
}

function markedIn(db: ProjectDatabase, table: string): number {
  if (!db.has(table, 'important')) return 0
  return db.value(`SELECT count(*) FROM main.${table} AS t WHERE important = 1 AND ${visible(db, 't')}`) ?? 0
}

function graphCount({ project: { db } }: ExportContext): number {
  return db.has('graph') ? (db.value('SELECT count(*) FROM main.graph') ?? 0) : 0
}
