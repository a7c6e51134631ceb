import type { Writer } from '../changes/writer.js'
import { joinMemos, publicPart } from '../text/private-memo.js'
import type { CodeRow } from './codes.js'
import { deleteGraphRowsOfCode } from './graph-rows.js'
import { type MergedCodings, mergeCodings } from './merge-codings.js'
import { forgetRecentCodes } from './recent-codes.js'

/** The first becomes part of the second, with all it has: codings, sub-codes and memo. */
export function mergeCodes(
  writer: Writer,
  source: CodeRow,
  target: CodeRow,
  subcodes: readonly CodeRow[],
): MergedCodings {
  const merged = mergeCodings(writer, source.id, target.id)
  for (const { id } of subcodes) writer.update('code_name', id, { supercid: target.id, catid: null })
  writer.update('code_name', target.id, {
    memo: joinMemos(target.memo, source.memo, headingFor(writer, source, target)),
  })
  forgetRecentCodes(writer, [source.id])
  deleteGraphRowsOfCode(writer, source.id)
  writer.delete('code_name', source.id)
  return merged
}

/** As the original writes it, after an empty line. */
function headingFor({ act }: Writer, { name, owner }: CodeRow, { memo }: CodeRow): string {
  const line = `[Merged from code: ${harmless(name)}, Coder: ${harmless(owner ?? '')}, Merger date: ${act.date}]`
  return publicPart(memo) === null ? line : `\n${line}`
}

/** A name must not begin the private part of a memo. */
const harmless = (name: string): string => name.replace(/#{5,}/g, '####')
