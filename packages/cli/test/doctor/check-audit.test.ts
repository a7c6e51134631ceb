import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { checkAudit } from '../../src/doctor/check-audit.js'

let directory: string
beforeEach(() => {
  const above = mkdtempSync(join(tmpdir(), 'cb-'))
  onTestFinished(() => rmSync(above, { recursive: true, force: true }))
  directory = join(above, 'audit')
})

const found = () => checkAudit(directory)
const problem = (detail: string) => [expect.objectContaining({ check: 'audit', status: 'problem', detail })]

it('says that there is no journal', () => {
  expect(checkAudit('off')).toEqual([{ check: 'audit', status: 'ok', detail: 'off' }])
})

it('says where it will be, and where it is', () => {
  expect(found()).toEqual([{ check: 'audit', status: 'ok', detail: `${directory} (the first start makes it)` }])
  mkdirSync(directory, { mode: 0o700 })
  expect(found()).toEqual([
    { check: 'audit', status: 'ok', detail: `${directory}; "callboard audit verify" says whether it is whole` },
  ])
})

it.each([0o750, 0o701, 0o702])('finds one that is open to others: %o', (mode) => {
  mkdirSync(directory)
  chmodSync(directory, mode)
  expect(found()).toEqual(problem(`${directory} is open to other users`))
  expect(found()[0]?.remedy).toContain(`chmod 700 ${directory}`)
})

it('finds a file, or a link, in its place', () => {
  writeFileSync(directory, '')
  expect(found()).toEqual(problem(`${directory} is no directory`))
  rmSync(directory)
  symlinkSync(tmpdir(), directory)
  expect(found()).toEqual(problem(`${directory} is no directory`))
})
