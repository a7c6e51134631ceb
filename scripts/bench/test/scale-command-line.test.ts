import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readScaleCommand } from '../scale-command-line.js'
import type { Experiment } from '../scale-experiment.js'

const play = () => Promise.reject(new Error('nobody plays here'))
const all: Experiment[] = ['tools', 'workers'].map((name) => ({ name, summary: `what ${name} cost`, play }))
const directory = mkdtempSync(join(tmpdir(), 'callboard-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const run = (...words: string[]) => {
  const read = readScaleCommand(words, all)
  return read.kind === 'run' ? read.command : read
}

describe('the command line of bench:scale', () => {
  it('without words: everything', () => {
    expect(run()).toEqual({ experiments: all, isQuick: false, json: undefined, charts: undefined })
  })

  it('takes names one by one and with commas', () => {
    expect(run('--only', 'workers')).toMatchObject({ experiments: [all[1]] })
    expect(run('--only', 'workers,tools')).toMatchObject({ experiments: [all[1], all[0]] })
    expect(run('--only', 'tools', '--only', 'workers', '--quick')).toMatchObject({ experiments: all, isQuick: true })
  })

  it('makes the directory of the charts before the work is done', () => {
    const charts = join(directory, 'a', 'b')
    expect(run('--charts', charts)).toMatchObject({ charts })
  })

  it('says what a wrong name may have meant', () => {
    expect(run('--only', 'tool')).toMatchObject({
      code: 2,
      text: expect.stringContaining('there is no tool (did you mean tools?)'),
    })
  })

  it.each([[['--json', join(directory, 'no', 'such', 'file')]], [['--fast']], [['tools']]])('refuses %j', (words) => {
    expect(run(...words)).toMatchObject({ code: 2, text: expect.stringContaining('Usage: npm run bench:scale') })
  })

  it('explains itself', () => {
    expect(run('--help')).toMatchObject({ code: 0, text: expect.stringContaining('what workers cost') })
  })
})
