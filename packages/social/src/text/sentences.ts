const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Sentences and lines, without the blanks around them. */
export function sentencesOf(text: string): readonly string[] {
  const ends = sentenceEnds(text)
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end).trim()).filter((sentence) => sentence !== '')
}

/** The text up to the end of its nth sentence. */
export function firstSentences(text: string, count: number): string {
  const ends = sentenceEnds(text).filter((end, index, all) => text.slice(all[index - 1] ?? 0, end).trim() !== '')
  const end = ends[Math.min(count, ends.length) - 1]
  return end === undefined ? '' : text.slice(0, end).trim()
}

/** The text up to the last of its sentences that has an end; undefined where none has. */
export function finishedSentences(text: string): string | undefined {
  const ends = sentenceEnds(text)
  const last = ends.findLast((end, index) =>
    /[.!?…。！？｡]["'”’)\]」』）]*\s*$/.test(text.slice(ends[index - 1] ?? 0, end)),
  )
  return last === undefined ? undefined : text.slice(0, last).trim()
}

/** Offsets behind each sentence, the blanks that follow it included; the last one is the length of the text. */
export function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = []
  let begin = 0
  for (const end of possibleEnds(text)) {
    if (end < text.length && !endsSentence(text.slice(begin, end))) continue
    ends.push(end)
    begin = end
  }
  return ends
}

/** Unicode's rule sees none where a small letter follows: before a URL, a mention or a hashtag there is one all the same. */
function possibleEnds(text: string): readonly number[] {
  const ends = new Set(Array.from(segmenter.segment(text), ({ segment, index }) => index + segment.length))
  for (const { index, 0: stop } of text.matchAll(/[.!?…]["'”’)\]]*\s+(?=https?:\/\/|[#@]\w)/g))
    ends.add(index + stop.length)
  return [...ends].sort((a, b) => a - b)
}

/** Unicode's rule ends one within `https://a.example/?q=1` and behind `Dr.`, too. */
function endsSentence(text: string): boolean {
  if (/[\n\r\u2028\u2029]$/.test(text)) return true
  if (endsFullWidth.test(text)) return true
  return /\s$/.test(text) && !endsAbbreviated.test(text)
}

/** Where no blanks stand between sentences. */
const endsFullWidth = /[。！？｡](?:[\p{M}\p{Cf}]|[」』）”’])*\s*$/u

const endsAbbreviated = /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|no|fig|e\.g|i\.e|cf|approx|[A-Z])\.\s*$/i
