const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The first ones; a line is a sentence, too. */
export function firstSentences(text: string, max: number): string {
  return sentencesOf(text).slice(0, max).join('').trim()
}

/** Up to the last sentence that has an end; undefined when there is none. */
export function finishedSentences(text: string): string | undefined {
  const all = sentencesOf(text)
  while (all.length > 0 && !/[.!?…。！？]["'”’)\]]*\s*$/.test(all.at(-1)!)) all.pop()
  return all.length === 0 ? undefined : all.join('').trim()
}

function sentencesOf(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}
