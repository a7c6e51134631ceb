import type { RefiSelection, RefiTextSelection, RefiTranscript } from '../refi/model.js'
import { importTimeSelection, type SelectionsContext } from './import-selections.js'

type Timed = RefiSelection & { readonly begin: number; readonly end: number }

/** Selections of a transcript that are places of its text, and those that are only times of its recording. */
export function transcriptPlaces(
  { losses }: Pick<SelectionsContext, 'losses'>,
  { syncPoints, selections }: RefiTranscript,
): { readonly selections: readonly RefiTextSelection[]; readonly timed: readonly Timed[] } {
  const points = new Map(syncPoints.map((point) => [point.guid, point]))
  const placed: RefiTextSelection[] = []
  const timed: Timed[] = []
  for (const { from, to, ...selection } of selections) {
    const [first, last] = [points.get(from ?? ''), points.get(to ?? '')]
    if (first?.position != null && last?.position != null)
      placed.push({ ...selection, start: first.position, end: last.position })
    else if (first?.timeStamp != null && last?.timeStamp != null)
      timed.push({ ...selection, begin: first.timeStamp, end: last.timeStamp })
    else losses.add('TranscriptSelection', selection.guid, 'all of it, for it says not from where to where it goes')
  }
  return { selections: placed, timed }
}

export function importTranscriptSelections(context: SelectionsContext, mediaId: number, timed: readonly Timed[]): void {
  for (const selection of timed) importTimeSelection(context, mediaId, selection)
}
