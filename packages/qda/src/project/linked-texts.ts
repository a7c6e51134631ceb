import type { Writer } from '../changes/writer.js'

/** Passages of a transcript that were coded together with a piece of the recording: of pieces that go, to what stays, or nothing. */
export function relinkTexts(writer: Writer, replaced: ReadonlyMap<number, number | null>): void {
  if (replaced.size === 0 || !writer.db.has('code_text', 'avid')) return
  const linked = writer.db.all<{ readonly ctid: number; readonly avid: number }>(
    'SELECT ctid, avid FROM main.code_text WHERE avid IS NOT NULL',
  )
  for (const { ctid, avid } of linked) {
    const kept = replaced.get(avid)
    if (kept !== undefined) writer.update('code_text', ctid, { avid: kept })
  }
}
