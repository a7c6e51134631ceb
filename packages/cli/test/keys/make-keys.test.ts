import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkout } from '../support/installation.js'

const script = join(checkout, 'scripts/deploy/make-keys.sh')
const isRoot = process.getuid?.() === 0

function make(variables: Record<string, string>, callboard = 'exit 0') {
  const directory = mkdtempSync(join(tmpdir(), 'callboard-make-keys-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  chmodSync(directory, 0o755)
  writeFileSync(join(directory, 'callboard'), `#!/bin/sh\n${callboard}\n`, { mode: 0o755 })
  const env = { PATH: `${directory}:${process.env['PATH']}`, CALLBOARD_DATA: join(directory, 'data'), ...variables }
  const { status, stderr } = spawnSync('/bin/sh', [script, join(directory, 'keys'), 'forum'], {
    env,
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, stderr }
}

it('says why a key could not be made', () => {
  const failing = '[ "$2" = new ] || exit 0; echo "no room here" >&2; exit 1'
  expect(make({}, failing)).toEqual({ status: 1, stderr: 'no room here\n' })
})

it.runIf(isRoot)('makes no keys for root', () => {
  expect(make({ CALLBOARD_UID: '0' })).toEqual({ status: 2, stderr: expect.stringContaining('CALLBOARD_UID is 0') })
})
