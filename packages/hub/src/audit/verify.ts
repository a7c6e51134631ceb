import { auditFiles, openForReading } from './audit-files.js'
import { genesis, readLine } from './chain.js'
import { lineBytesMax } from './limits.js'

export interface AuditProblem {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly problem: string
}

export interface Verification {
  readonly files: number
  readonly lines: number
  /** The newest whole line. */
  readonly head: { readonly seq: number; readonly hash: string } | undefined
  /** The first of them, at most 100. */
  readonly problems: readonly AuditProblem[]
  /** Starts after which a line that was not finished was cut off. */
  readonly recovered: readonly (AuditProblem & { readonly bytesCut: number })[]
  /** Bytes after the last line of the newest file: a hub that was killed, or one that is just writing. */
  readonly torn: { readonly file: string; readonly bytes: number } | undefined
}

export interface VerifyWish {
  readonly directory: string
  /** The first file that is looked at. */
  readonly from?: string | undefined
  /** A hash that must be there: of a line that was the newest once. */
  readonly expect?: string | undefined
}

const problemsMax = 100

/** @throws when a file can't be read */
export async function verifyAudit({ directory, from, expect }: VerifyWish): Promise<Verification> {
  const names = await auditFiles(directory)
  const check = new Check(expect, from !== undefined && from !== names[0])
  const chosen = names.filter((name) => from === undefined || name >= from)
  for (const name of chosen) await check.file(directory, name, name === chosen.at(-1))
  return check.result(chosen)
}

class Check {
  readonly #problems: AuditProblem[] = []
  readonly #recovered: Verification['recovered'][number][] = []
  readonly #pruned = new Set<string>()
  readonly #expect: string | undefined
  #isExpectedSeen = false
  #first: { readonly seq: number; readonly prev: string } | undefined
  #head: { readonly seq: number; readonly hash: string } | undefined
  #lines = 0
  #torn: Verification['torn']
  readonly #isPartial: boolean

  constructor(expect: string | undefined, isPartial: boolean) {
    this.#expect = expect
    this.#isPartial = isPartial
    this.#isExpectedSeen = expect === genesis
  }

  async file(directory: string, name: string, isNewest: boolean): Promise<void> {
    let line = 0
    const rest = await eachLine(directory, name, (text) => this.#line(name, ++line, text))
    if (rest === 0) return
    if (isNewest) this.#torn = { file: name, bytes: rest }
    else this.#report(name, line + 1, 'the line is cut off, and it is not in the newest file')
  }

  result(files: readonly string[]): Verification {
    const first = this.#first
    const isBegun = first === undefined || (first.seq === 1 && first.prev === genesis) || this.#pruned.has(first.prev)
    if (!isBegun && !this.#isPartial) {
      this.#problems.unshift({
        file: files[0]!,
        line: 1,
        problem: `lines 1 to ${first.seq - 1} of the journal are missing, and no line says that the hub removed them`,
      })
    }
    if (this.#expect !== undefined && !this.#isExpectedSeen) {
      const last = files.at(-1) ?? '-'
      this.#report(
        last,
        this.#lines,
        'no line has the expected hash: the newest lines were removed, or all were written anew',
      )
    }
    return {
      files: files.length,
      lines: this.#lines,
      head: this.#head,
      problems: this.#problems,
      recovered: this.#recovered,
      torn: this.#torn,
    }
  }

  #line(file: string, line: number, text: string): void {
    this.#lines++
    const read = readLine(text)
    if (read === undefined) {
      this.#report(file, line, 'the line is not as it was written')
      // What follows is judged by what this line says of itself, so that one change is one problem.
      const claimed = /^\{"seq":(\d{1,15}),.*,"hash":"([0-9a-f]{64})"\}$/s.exec(text)
      if (claimed !== null) this.#head = { seq: Number(claimed[1]), hash: claimed[2]! }
      return
    }
    this.#first ??= { seq: read.seq, prev: read.prev }
    const former = this.#head
    if (former !== undefined && read.prev !== former.hash) this.#report(file, line, breakOf(former.seq, read.seq))
    else if (former !== undefined && read.seq !== former.seq + 1) this.#report(file, line, 'its number is wrong')
    this.#head = { seq: read.seq, hash: read.hash }
    this.#isExpectedSeen ||= read.hash === this.#expect
    this.#note(file, line, read.value)
  }

  #note(file: string, line: number, { kind, lastHash, bytesCut, damaged }: Readonly<Record<string, unknown>>): void {
    if (kind === 'pruned') this.#pruned.add(String(lastHash))
    if (kind !== 'recovered') return
    const problem =
      damaged === true ? 'the line before was damaged' : `${bytesCut} bytes of an unfinished line were cut off`
    this.#recovered.push({ file, line, problem, bytesCut: Number(bytesCut) })
  }

  #report(file: string, line: number, problem: string): void {
    if (this.#problems.length < problemsMax) this.#problems.push({ file, line, problem })
  }
}

function breakOf(formerSeq: number, seq: number): string {
  if (seq > formerSeq + 1) {
    const missing = seq - formerSeq - 1
    return missing === 1
      ? `line ${seq - 1} of the journal is missing before it`
      : `lines ${formerSeq + 1} to ${seq - 1} of the journal are missing before it`
  }
  if (seq <= formerSeq) return `line ${seq} of the journal comes after line ${formerSeq}: it was moved or inserted`
  return 'it does not follow the line before: one of them was replaced'
}

/** Returns the bytes after the last line end. @throws when the file can't be read */
export async function eachLine(directory: string, name: string, tell: (text: string) => void): Promise<number> {
  const handle = await openForReading(directory, name)
  try {
    const chunk = Buffer.alloc(256 * 1024)
    let rest: Buffer[] = []
    let restBytes = 0
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.byteLength)
      if (bytesRead === 0) return restBytes
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0 && end < bytesRead; end = chunk.indexOf(10, from)) {
        tell(Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8'))
        rest = []
        restBytes = 0
        from = end + 1
      }
      restBytes += bytesRead - from
      // A line that no hub writes is not kept; it is not as it was written either way.
      if (restBytes <= 2 * lineBytesMax) rest.push(Buffer.from(chunk.subarray(from, bytesRead)))
    }
  } finally {
    await handle.close()
  }
}
