import Database from 'better-sqlite3'

export interface LargeProject {
  readonly sources: number
  /** Of each source, characters. */
  readonly length: number
  readonly codes: number
  readonly codings: number
}

export const large: LargeProject = { sources: 1_000, length: 30_000, codes: 500, codings: 100_000 }

const words =
  'the garden water people harvest quiet morning children neighbour pump assembly carrots trust work share afraid proud'.split(
    ' ',
  )

/** Fills an empty project, the same each time. Every tenth text has characters beyond the basic plane. */
export function fillLargeProject(file: string, { sources, length, codes, codings }: LargeProject = large): void {
  const db = new Database(file)
  const random = sequence(42)
  const texts = Array.from({ length: sources }, (_, index) => textOf(length, index % 10 === 0, random))
  db.pragma('synchronous = OFF')
  db.transaction(() => {
    const source = db.prepare(
      "INSERT INTO source (name, fulltext, memo, owner, date) VALUES (?, ?, '', 'ada', '2026-01-01')",
    )
    for (const [index, text] of texts.entries()) source.run(`source ${index}.txt`, text)
    const code = db.prepare(
      "INSERT INTO code_name (name, memo, owner, date, color) VALUES (?, '', 'ada', '2026-01-01', '#F7D358')",
    )
    for (let index = 0; index < codes; index += 1) code.run(`code ${index}`)
    const coding = db.prepare(
      "INSERT OR IGNORE INTO code_text (cid, fid, seltext, pos0, pos1, owner, memo, date) VALUES (?, ?, ?, ?, ?, 'ada', '', '2026-01-01')",
    )
    const characters = texts.map((text) => [...text])
    for (let made = 0; made < codings; ) {
      const fid = random(sources)
      const text = characters[fid]!
      const pos0 = random(text.length - 300)
      const pos1 = pos0 + 20 + random(200)
      made += coding.run(1 + random(codes), fid + 1, text.slice(pos0, pos1).join(''), pos0, pos1).changes
    }
  })()
  db.close()
}

function textOf(length: number, hasAstral: boolean, random: (below: number) => number): string {
  let text = ''
  while (text.length < length) {
    text += words[random(words.length)]
    text += random(12) === 0 ? '.\n' : ' '
    if (hasAstral && random(40) === 0) text += '🥕 '
  }
  return text
}

/** Numbers from 0, below a bound; the same sequence for the same seed. */
function sequence(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
