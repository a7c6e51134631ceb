import type { Writer } from '../changes/writer.js'
import { projectRow } from '../project/project-row.js'
import type { LossList } from '../refi/loss-list.js'
import type { RefiCode, RefiCoding, RefiProject, RefiSource, RefiTextSelection } from '../refi/model.js'
import { publicPart } from '../text/private-memo.js'
import { transcriptLink } from './export-project.js'
import { importCases } from './import-cases.js'
import { importCodes } from './import-codes.js'
import { type ImportContext, importContext } from './import-context.js'
import type { ImportCounts } from './import-counts.js'
import { importJournals, journalNames } from './import-journals.js'
import { lostNotes, type TextPlace } from './import-selections.js'
import { type ImportedSource, type ImportWork, importSources } from './import-sources.js'
import { ImportVariables } from './import-variables.js'
import type { MediaPlan } from './media-plan.js'

export interface ProjectImport {
  readonly project: RefiProject
  readonly media: MediaPlan
  readonly losses: LossList
}

/** Writes a project's model as rows, in steps: it yields what text it needs next, or null where others may have their turn. */
export function* importProject(writer: Writer, { project, media, losses }: ProjectImport): ImportWork<ImportCounts> {
  const context = importContext(writer, losses, project.users)
  const names = journalNames(context, project.notes)
  const codes = importCodes(context, project.codes, usedCodes(project))
  const variables = new ImportVariables(context, project)
  const ofCases = new Set(project.cases.flatMap(({ selections }) => selections))
  const places = new Map<string, TextPlace>()
  const sources = yield* importSources({ ...context, project, variables, media, codes, notes: names, ofCases, places })
  linkTranscripts(context, project, sources)
  yield* importCases({ ...context, variables, sources, places }, project.cases)
  yield* importJournals({ ...context, variables }, project.notes, names)
  keepDescription(context, project)
  countRest(context, project, names)
  return context.counts
}

function usedCodes({ sources }: RefiProject): ReadonlySet<string> {
  const used = new Set<string>()
  const add = (codings: readonly RefiCoding[]) => {
    for (const { code } of codings) used.add(code)
  }
  for (const source of sources) {
    add(source.codings)
    for (const { codings } of selectionsOf(source)) add(codings)
  }
  return used
}

function* selectionsOf(source: RefiSource): Generator<Pick<RefiTextSelection, 'codings'>> {
  yield* source.selections
  if (source.kind === 'picture') yield* source.textDescription?.selections ?? []
  if (source.kind === 'pdf') yield* source.representation?.selections ?? []
  if (source.kind === 'audio' || source.kind === 'video')
    for (const { selections } of source.transcripts) yield* selections
}

function linkTranscripts(
  { writer, losses }: ImportContext,
  { links }: RefiProject,
  sources: ReadonlyMap<string, ImportedSource>,
): void {
  for (const { guid, name, origin, target } of links) {
    const media = sources.get(origin ?? '')
    const text = sources.get(target ?? '')
    const isRecording = media?.kind === 'audio' || media?.kind === 'video'
    if (name === transcriptLink && isRecording && text?.kind === 'text')
      writer.update('source', media.id, { av_text_id: text.id })
    else losses.add('Link', guid, 'all of it: QualCoder has no links')
  }
}

/** The project's own memo stays. */
function keepDescription({ writer, losses }: ImportContext, { description }: RefiProject): void {
  if (description === null) return
  const memo = publicPart(projectRow(writer.db).memo)
  if (memo === null && !projectRow(writer.db).memo) writer.update('project', 1, { memo: description })
  else if (memo !== description) losses.add('Project', null, "its description: this project's own stays")
}

function countRest(context: ImportContext, project: RefiProject, notes: ReadonlyMap<string, string>): void {
  for (const { guid, name } of project.sets) context.losses.add('Set', guid, `all of the set "${name.slice(0, 100)}"`)
  lostNotes({ ...context, notes }, 'Project', null, project.noteRefs)
  const lostOfCodes = ({ guid, noteRefs, codes }: RefiCode): void => {
    lostNotes({ ...context, notes }, 'Code', guid, noteRefs)
    codes.forEach(lostOfCodes)
  }
  project.codes.forEach(lostOfCodes)
}
