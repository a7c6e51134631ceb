import type { Writer } from '../changes/writer.js'

/** Codes that go leave the list of those that were used last: ids, joined by blanks. */
export function forgetRecentCodes(writer: Writer, codeIds: readonly number[]): void {
  if (!writer.db.has('project', 'recently_used_codes')) return
  const recent = writer.db.value<string | null>('SELECT CAST(recently_used_codes AS TEXT) FROM main.project LIMIT 1')
  if (!recent) return
  const gone = new Set(codeIds.map(String))
  const listed = recent.split(/\s+/)
  const kept = listed.filter((id) => !gone.has(id))
  if (kept.length < listed.length) writer.update('project', 1, { recently_used_codes: kept.join(' ') })
}
