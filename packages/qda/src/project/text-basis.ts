import { textHash } from '../text/text-hash.js'
import { findCode } from './codes.js'
import type { OpenProject } from './open-project.js'
import { findSource } from './sources.js'

/** What of a source must be the same when a suggestion about it is approved. A new name does no harm. */
export function textBasis({ db, texts }: OpenProject, sourceId: number) {
  const text = texts.get(sourceId)
  return {
    source: [sourceId, findSource(db, sourceId)?.date ?? null],
    text_hash: text === undefined ? null : textHash(text.text),
  }
}

/** The same of a code: a later one may have its id. */
export function codeBasis({ db }: OpenProject, codeId: number) {
  const { owner = null, created_at = null } = findCode(db, codeId) ?? {}
  return [codeId, owner, created_at]
}
