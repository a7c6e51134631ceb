import { describe, expect, it } from 'vitest'
import { errorBytesMax, resultBytesMax } from '../src/limits.js'
import type { Content, FromJupyter } from '../src/runtime/jupyter/contents.js'
import { RunningCell } from '../src/runtime/jupyter/running-cell.js'
import type { ResultMode } from '../src/runtime/runtime.js'

const bundle = (data: { [type: string]: unknown }) => ({ data, metadata: {} })
const value = (text: unknown): Content => ({ type: 'execute_result', bundle: bundle({ 'text/plain': text }) })
const ok: Content = { type: 'execute_reply', status: 'ok', ename: '', evalue: '', traceback: [] }
const idle: Content = { type: 'status', state: 'idle' }
const failure = { ename: 'E', evalue: 'bad', traceback: [] as string[] }

function cellWith(contents: readonly Content[], resultMode: ResultMode = 'last', valuesAreDisplays = false) {
  const cell = new RunningCell({ run: 1, code: '', resultMode }, valuesAreDisplays)
  const shown = contents.map((content) => cell.receive({ parentId: 'x', ...content } as FromJupyter))
  return { cell, shown: shown.filter((bundle) => bundle !== undefined) }
}
const endOf = (contents: readonly Content[], resultMode?: ResultMode, asked = false) =>
  cellWith(contents, resultMode).cell.end(asked, 0.5)

describe('a cell of a Jupyter kernel', () => {
  it('has its value, and nothing else', () => {
    expect(endOf([value('2'), ok, idle])).toEqual({
      outcome: 'ok',
      result: '2',
      error: null,
      resultOmitted: 0,
      errorOmitted: 0,
      durationS: 0.5,
      names: { added: [], changed: [], deleted: [] },
    })
  })

  it('gives the last value, all, or none', () => {
    const contents = [value('1'), value(['2', '3']), value(7), ok]
    expect(endOf(contents).result).toBe('23')
    expect(endOf(contents, 'all').result).toBe('1\n23')
    expect(endOf(contents, 'none').result).toBeNull()
  })

  it('gives at most 16 KiB of its value, in whole characters, and counts the rest', () => {
    const end = endOf([value(`a${'é'.repeat(resultBytesMax)}`), ok])
    expect(Buffer.byteLength(end.result!)).toBe(resultBytesMax - 1)
    expect(end.resultOmitted).toBe(resultBytesMax + 2)
    const all = endOf([value('x'.repeat(resultBytesMax)), value('yy'), value('zzz'), ok], 'all')
    expect(all.result).toBe('x'.repeat(resultBytesMax))
    expect(all.resultOmitted).toBe('\nyy\nzzz'.length)
  })

  it('shows what is more than text, and what was displayed', () => {
    const png = bundle({ 'text/plain': '<Figure>', 'image/png': 'AAAA' })
    const html = bundle({ 'text/plain': 'a', 'text/html': '<b>a</b>' })
    const { cell, shown } = cellWith([
      { type: 'display_data', bundle: png },
      { type: 'execute_result', bundle: html },
      value('plain'),
      ok,
    ])
    expect(shown).toEqual([png, html])
    expect(cell.end(false, 0).result).toBe('plain')
  })

  it('of a kernel that displays values has them as its result, but not its images', () => {
    const one = bundle({ 'text/plain': '[1] 2', 'text/html': '2' })
    const plot = bundle({ 'text/plain': 'plot without title', 'image/png': 'AAAA' })
    const contents: Content[] = [{ type: 'display_data', bundle: one }, { type: 'display_data', bundle: plot }, ok]
    const { cell, shown } = cellWith(contents, 'last', true)
    expect(cell.end(false, 0).result).toBe('[1] 2')
    expect(shown).toEqual([plot])
  })

  it('ends with the name and text of its error, without colours', () => {
    const error = (traceback: string[], evalue = 'bad') =>
      endOf([
        { type: 'error', ename: 'E', evalue, traceback },
        { ...ok, status: 'error' },
      ] as Content[])
    expect(error(['\u001b[31mline 1\u001b[0m', 'E: bad'])).toMatchObject({ outcome: 'error', error: 'line 1\nE: bad' })
    expect(error(['line 1']).error).toBe('line 1\nE: bad')
    expect(error([]).error).toBe('E: bad')
    expect(error(['line 1', 'E: '], '').error).toBe('line 1\nE')
  })

  it('has its error from the reply when no other message told it', () => {
    const reply: Content = { type: 'execute_reply', status: 'error', ...failure }
    expect(endOf([reply, idle])).toMatchObject({ outcome: 'error', error: 'E: bad', result: null })
  })

  it('keeps the last line of a long error whole', () => {
    const last = `${'z'.repeat(40_000)}!`
    const traceback = [`first\n${'x'.repeat(3 * errorBytesMax)}`]
    const end = endOf([
      { type: 'error', ename: 'E', evalue: last, traceback },
      { ...ok, status: 'error' },
    ] as Content[])
    expect(end.error).toMatch(/^first\n/)
    expect(end.error).toContain(`[... ${end.errorOmitted} bytes omitted ...]`)
    expect(end.error!.endsWith(`\nE: ${last}`)).toBe(true)
    expect(end.errorOmitted).toBe('first\n'.length + 3 * errorBytesMax - errorBytesMax)
  })

  it('is interrupted only if that was asked for and the kernel says so', () => {
    const stopped: Content = {
      type: 'execute_reply',
      status: 'error',
      ename: 'KeyboardInterrupt',
      evalue: '',
      traceback: [],
    }
    const aborted: Content = { type: 'execute_reply', status: 'aborted', ename: '', evalue: '', traceback: [] }
    const failed: Content = { type: 'execute_reply', status: 'error', ...failure }
    expect(endOf([stopped], 'last', true).outcome).toBe('interrupted')
    expect(endOf([stopped], 'last', false).outcome).toBe('error')
    expect(endOf([aborted], 'last', true).outcome).toBe('interrupted')
    expect(endOf([aborted], 'last', false)).toMatchObject({
      outcome: 'error',
      error: expect.stringMatching(/"aborted"/),
    })
    expect(endOf([failed], 'last', true).outcome).toBe('error')
    expect(endOf([value('1'), ok], 'last', true)).toMatchObject({ outcome: 'ok', result: '1' })
  })

  it('that the kernel left without a reply is an error, never a success', () => {
    expect(endOf([value('1'), idle])).toMatchObject({
      outcome: 'error',
      result: null,
      error: expect.stringMatching(/did not say/),
    })
  })

  it('that was interrupted while the kernel was about to reply is interrupted', () => {
    expect(endOf([idle], 'last', true)).toMatchObject({
      outcome: 'interrupted',
      error: expect.stringMatching(/^Interrupted: /),
    })
  })

  it('has begun when the kernel says more than that it is busy', () => {
    const { cell } = cellWith([{ type: 'status', state: 'busy' }])
    expect(cell.hasStarted).toBe(false)
    cell.receive({ parentId: 'x', type: 'execute_input' })
    expect(cell.hasStarted).toBe(true)
  })
})
