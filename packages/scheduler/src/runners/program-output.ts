import { stripVTControlCharacters } from 'node:util'
import { resultBytesMax } from '../limits.js'
import type { Extraction } from './extraction.js'
import { HeadAndTail, withinBytes } from './head-and-tail.js'
import { type JsonFindings, JsonOutput } from './json-output.js'
import { redacted, StreamRedactor } from './redaction.js'

export interface Findings {
  /** What the program says in the end, at most 64 KiB: what the configuration points at, or all of its output. */
  readonly text: string
  /** Whether the configuration points at something that was there; without one, whether there was any output. */
  readonly hasResult: boolean
  /** At most 64 KiB, most of it the end. */
  readonly stderr: string
  readonly sessionId?: string
  readonly usage: JsonFindings['usage']
  readonly warnings: readonly string[]
}

/** What one program writes: readable, bounded, without the run's token. */
export class ProgramOutput {
  readonly #token: string
  readonly #resultFrom: Extraction | undefined
  readonly #json: JsonOutput | undefined
  readonly #stdout = new HeadAndTail()
  readonly #stderr = new HeadAndTail()
  readonly #cleanStdout: StreamRedactor
  readonly #cleanStderr: StreamRedactor

  constructor(token: string, resultFrom: Extraction | undefined, sessionFrom: Extraction | undefined) {
    this.#token = token
    this.#resultFrom = resultFrom
    if (resultFrom !== undefined || sessionFrom !== undefined) this.#json = new JsonOutput(resultFrom, sessionFrom)
    this.#cleanStdout = new StreamRedactor(token)
    this.#cleanStderr = new StreamRedactor(token)
  }

  pushStdout(bytes: Buffer): void {
    this.#keepStdout(this.#cleanStdout.push(bytes))
  }

  pushStderr(bytes: Buffer): void {
    this.#stderr.push(this.#cleanStderr.push(bytes))
  }

  end(): Findings {
    this.#keepStdout(this.#cleanStdout.end())
    this.#stderr.push(this.#cleanStderr.end())
    const json = this.#json?.end() ?? { usage: {}, isJson: false }
    const sessionId = json.sessionId === undefined ? undefined : this.#cleaned(json.sessionId)
    return {
      ...this.#result(json),
      stderr: this.#cleaned(this.#stderr.read(resultBytesMax, 0.25)),
      usage: json.usage,
      ...(sessionId !== undefined && sessionId === json.sessionId && { sessionId }),
    }
  }

  #result({ result, isJson, tooLong }: JsonFindings): Pick<Findings, 'text' | 'hasResult' | 'warnings'> {
    const whole = () => this.#cleaned(this.#stdout.read(resultBytesMax, 0.5))
    if (this.#resultFrom === undefined) return { text: whole(), hasResult: this.#stdout.totalBytes > 0, warnings: [] }
    if (result !== undefined) return { text: this.#cleaned(result), hasResult: true, warnings: [] }
    if (tooLong !== undefined) return { text: whole(), hasResult: false, warnings: [tooLongWarnings[tooLong]] }
    // An agent that said nothing has no result: its events are none.
    const warnings = this.#stdout.totalBytes > 0 ? [isJson ? absentWarning : noJsonWarning] : []
    return { text: isJson ? '' : whole(), hasResult: false, warnings }
  }

  #keepStdout(bytes: Buffer): void {
    this.#stdout.push(bytes)
    this.#json?.push(bytes)
  }

  /** Once more without the token: escapes of a terminal or of JSON may have stood inside of it. */
  #cleaned(text: string): string {
    const readable = stripVTControlCharacters(text).replaceAll('\0', '\uFFFD')
    return withinBytes(redacted(readable, this.#token), resultBytesMax)
  }
}

const absentWarning = 'The output has nothing where result_from points, so the result is empty.'
const noJsonWarning = 'The output is no JSON, so result_from found nothing: the whole output is kept as the result.'
const tooLongWarnings = {
  document: 'The output is longer than 8 MiB and was not read as JSON: its beginning and end are kept as the result.',
  line: 'A line of the output is longer than 1 MiB and was not read as JSON: the beginning and end are kept as the result.',
} as const
