import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
// @ts-expect-error: it runs before anything is built, and so it is JavaScript
import { programFile } from '../bin/program-file.js'

let folder: string
const madeAt = Date.parse('2026-01-02')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cb-'))
  mkdirSync(join(folder, 'bundle'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const chosen = (): string => programFile(pathToFileURL(`${join(folder, 'bundle')}/`))
const bundleMade = (made: unknown) => writeFileSync(join(folder, 'bundle', 'made-of.json'), JSON.stringify(made))
const builtAt = (name: string, date: string) => {
  writeFileSync(join(folder, name), '')
  utimesSync(join(folder, name), new Date(date), new Date(date))
}

it('is the bundle as long as nothing was built after it', () => {
  bundleMade({ madeAt, of: ['../one', '../other'] })
  builtAt('one', '2026-01-01')
  builtAt('other', '2026-01-01')
  expect(chosen()).toBe(pathToFileURL(join(folder, 'bundle', 'main.js')).href)
  builtAt('other', '2026-01-03')
  expect(chosen()).toMatch(/\/packages\/cli\/dist\/main\.js$/)
})

it('is the bundle of an installed package, where nothing is built', () => {
  bundleMade({ madeAt, of: ['../../hub/mark'] })
  expect(chosen()).toMatch(/\/bundle\/main\.js$/)
})

it.each([undefined, null, {}, { of: ['x'], madeAt: 'once' }])(
  'is what was built where the bundle is none: %j',
  (made) => {
    if (made !== undefined) bundleMade(made)
    builtAt('bundle/x', '2026-01-01')
    expect(chosen()).toMatch(/\/dist\/main\.js$/)
  },
)
