import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { speakersMax } from '../limits.js'
import { findCategoryNamed } from '../project/categories.js'
import { addCode, allCodes, requireCode } from '../project/codes.js'
import { leastUsedColor } from '../project/colors.js'
import type { ProjectDatabase } from '../project/project-database.js'
import type { Speaker } from '../speakers/speakers-of.js'
import { codeNameKey } from '../text/name-key.js'
import { nameProblem } from '../text/name-problem.js'

/** A speaker with the code that stands for it, null where it is still to be made. */
export interface CodedSpeaker extends Speaker {
  readonly codeName: string
}

/**
 * Finds the codes that there are: the one that the caller chose, else the one with the speaker's name. Throws CODE_NOT_FOUND,
 * CODE_NOT_CREATED/INVALID_NAME, or INVALID_ARGUMENT for too many speakers.
 */
export function withCodes(db: ProjectDatabase, speakers: readonly Speaker[]): readonly CodedSpeaker[] {
  if (speakers.length > speakersMax)
    throw new QdaFailure(
      'INVALID_ARGUMENT',
      `${speakers.length} speakers were found, and one call codes at most ${speakersMax}; nothing was coded`,
      { suggestions: ['Give a higher min_turns, or fewer source_ids.'] },
    )
  const named = codesByName(db)
  return speakers.map((speaker) => {
    if (speaker.codeId !== null) return { ...speaker, codeName: requireCode(db, speaker.codeId).name }
    const codeName = codeNameOf(speaker.label)
    return { ...speaker, codeName, codeId: named.get(codeNameKey(codeName)) ?? null }
  })
}

/** Makes codes for speakers, in a category of that name, which is made for the first of them. */
export class SpeakerCodes {
  readonly #writer: Writer
  readonly #category: string
  readonly #named: Map<string, number>
  #categoryId: number | undefined
  created = 0

  constructor(writer: Writer, category: string) {
    this.#writer = writer
    this.#category = category
    this.#named = codesByName(writer.db)
  }

  /** Looks again at what is there: since the speakers were found, others may have written. */
  idOf({ codeId, codeName }: CodedSpeaker): number {
    if (codeId !== null) return requireCode(this.#writer.db, codeId).id
    const key = codeNameKey(codeName)
    const id = this.#named.get(key) ?? this.#create(codeName)
    this.#named.set(key, id)
    return id
  }

  #create(name: string): number {
    this.#categoryId ??= findCategoryNamed(this.#writer.db, this.#category)?.id ?? this.#createCategory()
    this.created += 1
    const color = leastUsedColor(allCodes(this.#writer.db))
    return addCode(this.#writer, { name, color, categoryId: this.#categoryId })
  }

  #createCategory(): number {
    const values = { name: this.#category, memo: '', owner: this.#writer.coder(), date: this.#writer.act.date }
    return this.#writer.insert('code_cat', { ...values, supercatid: null }) as number
  }
}

/** Of several codes with one name the first, by id. */
function codesByName(db: ProjectDatabase): Map<string, number> {
  const codes = allCodes(db).toSorted((one, other) => other.id - one.id)
  return new Map(codes.map(({ id, name }) => [codeNameKey(name), id]))
}

function codeNameOf(label: string): string {
  const name = label.trim().replace(/\s+/gu, ' ')
  // No label is longer than a code's name may be.
  const problem = nameProblem(name, { lengthMax: Number.MAX_SAFE_INTEGER, slashes: 'allowed' })
  if (problem === undefined) return name
  throw new QdaFailure(
    'CODE_NOT_CREATED/INVALID_NAME',
    `The speaker ${JSON.stringify(label)} can't have a code of that name: it ${problem}`,
    {
      suggestions: ['Give the speaker a code_id in speakers, or null to leave it out.'],
    },
  )
}
