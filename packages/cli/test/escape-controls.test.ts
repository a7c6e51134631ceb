import { afterEach, expect, it, vi } from 'vitest'
import { escapeControls } from '../src/escape-controls.js'
import { complain, print, printContent, printJson } from '../src/output.js'

afterEach(() => {
  vi.restoreAllMocks()
})

function written(stream: NodeJS.WriteStream, isTerminal: boolean, write: () => void): string {
  let text = ''
  vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += chunk
    return true
  })
  const before = stream.isTTY
  stream.isTTY = isTerminal
  write()
  stream.isTTY = before
  return text
}

const evil = '\x1b]0;PWNED\x07\nFAKE\tROW \x7f \x9b31m \u202etxt.exe\u2066'
const shown = '\\u001b]0;PWNED\\u0007\nFAKE\tROW \\u007f \\u009b31m \\u202etxt.exe\\u2066'

it('shows C0, C1, DEL and what turns the direction of text as codes', () => {
  expect(escapeControls(evil)).toBe(shown.replace('\n', '\\u000a').replace('\t', '\\u0009'))
  expect(escapeControls(evil, '\n\t')).toBe(shown)
})

it('leaves all other text as it is', () => {
  const text = 'weave_eval – «שלום» 漢字 👩‍🔬 \\ "'
  expect(escapeControls(text)).toBe(text)
})

it('never writes a control character but line ends and tabs', () => {
  expect(written(process.stdout, false, () => print(evil))).toBe(`${shown}\n`)
  expect(written(process.stderr, false, () => complain(evil))).toBe(`${shown}\n`)
  const json = written(process.stdout, false, () => printJson({ evil }))
  expect(json).toMatch(/^[\n\x20-\x7e]*$/)
  expect(JSON.parse(json)).toEqual({ evil })
})

it('hands a tool’s content to programs as it is, and to a terminal without what a terminal obeys', () => {
  expect(written(process.stdout, false, () => printContent(evil))).toBe(`${evil}\n`)
  expect(written(process.stdout, true, () => printContent(evil))).toBe(`${shown}\n`)
})
