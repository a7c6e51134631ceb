import { escapeControls } from './escape-controls.js'

/** The one place that writes: to stdout what was asked for, to stderr what went wrong. */

/** What shapes text without harm. */
const layout = '\n\t'

export function print(text: string): void {
  process.stdout.write(`${escapeControls(text, layout)}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

export function complain(text: string): void {
  process.stderr.write(`${escapeControls(text, layout)}\n`)
}

/** A tool's own content: for programs as it is, for a terminal without what a terminal obeys. */
export function printContent(text: string): void {
  writeContent(process.stdout, text)
}

/** Content that tells of a failure. */
export function complainContent(text: string): void {
  writeContent(process.stderr, text)
}

function writeContent(stream: NodeJS.WriteStream, text: string): void {
  stream.write(`${stream.isTTY === true ? escapeControls(indented(text), layout) : text}\n`)
}

/** A JSON object in one line is for programs; so is one with numbers that would come out as others. */
function indented(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

/** Whether a person reads along. */
export const isTerminal = (): boolean => process.stdout.isTTY === true

/** How many lines a person sees; undefined: none reads along. */
export const terminalRows = (): number | undefined => (isTerminal() ? process.stdout.rows || rowsDefault : undefined)

/** Of a terminal that does not say. */
const rowsDefault = 24

/** Puts a text in the place of all that the terminal shows. */
export function redraw(text: string): void {
  process.stdout.write(`\x1b[H\x1b[2J${escapeControls(text, layout)}\n`)
}

/** Whoever read what goes on for ever may have seen enough (`| head`). */
export function whenNobodyReads(act: () => void): void {
  process.stdout.once('error', act)
}

/** For commands that speak a protocol on stdout. */
export const protocolStreams = () => ({ input: process.stdin, output: process.stdout })

export const errorStream = (): NodeJS.WriteStream => process.stderr

/** Instead of a crash, whenever something could not be written. */
export function onOutputError(failed: (code: string | undefined) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code }: NodeJS.ErrnoException) => failed(code))
  }
}

/** Ends the program once everything written is out: `process.exit` alone cuts off what a pipe has not taken. */
export async function exit(code: number): Promise<never> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 500)
    stream.write('', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
