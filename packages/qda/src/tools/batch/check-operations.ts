import { QdaFailure } from '../../failure.js'
import { batchTextUnitsMax } from '../../limits.js'
import { requireCode } from '../../project/codes.js'
import { type CodedPassages, loadCoded } from '../../project/codings-of-code.js'
import type { OpenProject } from '../../project/open-project.js'
import { requireSource } from '../../project/sources.js'
import { detached } from '../../text/detached.js'
import { textHash } from '../../text/text-hash.js'
import type { TextIndex } from '../../text/text-index.js'
import type { Operation } from './operation.js'
import { orFailure } from './or-failure.js'
import { type Place, placeByPosition, type QuotedPlace } from './place-operation.js'
import type { QuotedPlaces } from './place-quotes.js'

/** An operation of which nothing is wrong. */
export interface CheckedOperation {
  readonly operation: Operation
  readonly place: Place | QuotedPlace
  readonly text: string
  /** What is coded there with its code. Operations of one code and source share it. */
  readonly coded: CodedPassages
}

/** In the order of the operations. `coder`: whose codings an equal one must be to be the same. */
export function checkOperations(
  operations: readonly (Operation | string)[],
  quoted: QuotedPlaces,
  project: OpenProject,
  coder: string,
): readonly (CheckedOperation | QdaFailure)[] {
  const check = new Check(project, coder, quoted)
  const checked = new Map<number, CheckedOperation | QdaFailure>()
  // Source by source: only one text is held at a time.
  for (const [index, operation] of bySource(operations))
    checked.set(
      index,
      orFailure(() => check.one(index, operation)),
    )
  return operations.map((operation, index) =>
    typeof operation === 'string' ? new QdaFailure('INVALID_OPERATION', operation) : checked.get(index)!,
  )
}

class Check {
  readonly #project: OpenProject
  readonly #coder: string
  readonly #quoted: QuotedPlaces
  readonly #codes = new Map<number, true | QdaFailure>()
  #source: { readonly id: number; readonly read: SourceRead | QdaFailure } | undefined
  #units = 0

  constructor(project: OpenProject, coder: string, quoted: QuotedPlaces) {
    this.#project = project
    this.#coder = coder
    this.#quoted = quoted
  }

  /** Throws what is wrong with it. */
  one(index: number, operation: Operation): CheckedOperation {
    this.#requireCode(operation.codeId)
    const source = this.#read(operation.sourceId)
    requireSameText(source, operation)
    const { place, text } = this.#passage(index, source.index, operation)
    this.#units += text.length
    if (this.#units > batchTextUnitsMax) throw tooMuchText()
    return { operation, place, text, coded: this.#coded(source, operation) }
  }

  #requireCode(codeId: number): void {
    const known = this.#codes.get(codeId) ?? orFailure(() => requireCode(this.#project.db, codeId) && true)
    this.#codes.set(codeId, known as true | QdaFailure)
    if (known instanceof QdaFailure) throw known
  }

  #read(sourceId: number): SourceRead {
    if (this.#source?.id !== sourceId) {
      const read = orFailure(() => {
        requireSource(this.#project.db, sourceId)
        return { index: this.#project.texts.get(sourceId)!, hash: undefined, coded: new Map() }
      })
      this.#source = { id: sourceId, read }
    }
    const { read } = this.#source
    if (read instanceof QdaFailure) throw read
    return read
  }

  #passage(index: number, text: TextIndex, operation: Operation) {
    if (operation.quote === undefined) {
      const place = placeByPosition(text, operation)
      return { place, text: detached(text.slice(place.start, place.end)) }
    }
    const quoted = this.#quoted.get(index)
    if (quoted instanceof QdaFailure) throw quoted
    // Since the quote was looked for, others may have written.
    if (quoted === undefined || text.slice(quoted.start, quoted.end) !== quoted.text) throw textChanged()
    return { place: quoted, text: quoted.text }
  }

  #coded({ index, coded }: SourceRead, { codeId, sourceId }: Operation): CodedPassages {
    const known = coded.get(codeId)
    if (known !== undefined) return known
    const loaded = loadCoded(this.#project.db, index, { codeId, sourceId, coder: this.#coder })
    coded.set(codeId, loaded)
    return loaded
  }
}

interface SourceRead {
  readonly index: TextIndex
  hash: string | undefined
  /** By code. */
  readonly coded: Map<number, CodedPassages>
}

function requireSameText(source: SourceRead, { textHash: given, sourceId }: Operation): void {
  if (given === undefined) return
  source.hash ??= textHash(source.index.text)
  if (given.toLowerCase() !== source.hash) throw textChanged({ source_id: sourceId, text_hash: source.hash })
}

const textChanged = (details?: { readonly [key: string]: unknown }): QdaFailure =>
  new QdaFailure('TEXT_CHANGED', 'The text of the source is another one now; read it again', {
    ...(details !== undefined && { details }),
  })

const tooMuchText = (): QdaFailure =>
  new QdaFailure(
    'INVALID_OPERATION',
    `One batch codes at most ${batchTextUnitsMax} characters, and this one goes over that; put the rest into another batch`,
  )

function bySource(operations: readonly (Operation | string)[]): readonly (readonly [number, Operation])[] {
  return operations
    .flatMap((operation, index) => (typeof operation === 'string' ? [] : [[index, operation] as const]))
    .toSorted(([, one], [, other]) => one.sourceId - other.sourceId)
}
