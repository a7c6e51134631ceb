/** One turn, as far as a list of speakers needs it. */
export interface TurnSummary {
  readonly label: string
  readonly characters: number
  /** How it begins. */
  readonly sample: string
}

export interface Speaker {
  /** As it is written most often; of those, as it came first. */
  readonly label: string
  /** The same for all spellings of the label. */
  readonly key: string
  readonly turns: number
  readonly characters: number
  /** Of the first turn. */
  readonly sample: string
  /** What the caller chose for the label; null where a code is still to be found or made. */
  readonly codeId: number | null
}

export interface SpeakerChoice {
  readonly minTurns: number
  /** By label in any spelling: a code whatever the number of turns, or null to leave the speaker out. */
  readonly codes?: Readonly<Record<string, number | null>>
}

/**
 * Who speaks, those with most turns first, then as they came. "ANNA", "Anna" and "anna" are one, as names of codes are: labels
 * differ only by more than case and blanks.
 */
export function speakersOf(turns: Iterable<TurnSummary>, { minTurns, codes = {} }: SpeakerChoice): Speaker[] {
  const chosen = new Map(Object.entries(codes).map(([label, codeId]) => [speakerKey(label), codeId]))
  return [...gather(turns)]
    .filter(([key, { turns }]) => (chosen.has(key) ? chosen.get(key) !== null : turns >= minTurns))
    .map(([key, { spellings, ...speaker }]) => ({
      ...speaker,
      key,
      label: mostFrequent(spellings),
      codeId: chosen.get(key) ?? null,
    }))
    .sort((a, b) => b.turns - a.turns)
}

/** Equal for labels of one speaker. */
export function speakerKey(label: string): string {
  return label.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase()
}

interface Gathered {
  turns: number
  characters: number
  readonly sample: string
  readonly spellings: Map<string, number>
}

function gather(turns: Iterable<TurnSummary>): Map<string, Gathered> {
  const speakers = new Map<string, Gathered>()
  for (const { label, characters, sample } of turns) {
    const key = speakerKey(label)
    const speaker = speakers.get(key) ?? { turns: 0, characters: 0, sample, spellings: new Map() }
    speaker.turns++
    speaker.characters += characters
    speaker.spellings.set(label, (speaker.spellings.get(label) ?? 0) + 1)
    speakers.set(key, speaker)
  }
  return speakers
}

function mostFrequent(spellings: ReadonlyMap<string, number>): string {
  let most = { label: '', count: 0 }
  for (const [label, count] of spellings) if (count > most.count) most = { label, count }
  return most.label
}
