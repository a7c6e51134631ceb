import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VirtualClock } from '@callboard/worker/testing'
import { expect, test } from 'vitest'
import { importAsNew } from '../../src/exchange/import-as-new.js'
import type { Call } from '../../src/tools/qda-tool.js'
import { rawZip } from '../refi/support/hostile-zip.js'
import { temporaryFolder } from '../refi/support/temporary-folder.js'

const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Of many texts, so that there is something in the middle. */
async function packageOfMany(): Promise<{ readonly folder: string; readonly file: string }> {
  const numbers = Array.from({ length: 50 }, (_, index) => index)
  const sources = numbers
    .map((n) => `<TextSource guid="${guid(n)}" name="${n}" plainTextPath="internal://${n}.txt"/>`)
    .join('')
  const document = `<Project xmlns="urn:QDA-XML:project:1.0" name="Many"><Sources>${sources}</Sources></Project>`
  const texts = numbers.map((n) => ({ name: `sources/${n}.txt`, data: `text ${n}` }))
  const folder = await temporaryFolder()
  const file = join(folder, 'many.qdpx')
  writeFileSync(file, rawZip([{ name: 'project.qde', data: document }, ...texts]))
  return { folder, file }
}

test('a worker that is killed in the middle leaves no project under the name that it was to have', async () => {
  const { folder, file } = await packageOfMany()
  const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
  const script = `
    import { importAsNew } from ${JSON.stringify(join(dist, 'exchange/import-as-new.js'))}
    import { systemClock } from '@callboard/worker/clock'
    const progress = () => process.kill(process.pid, 'SIGKILL')
    const context = { signal: new AbortController().signal, progress }
    const call = { context, session: 's', actor: { name: 'agent:a', coder: 'a', isOperator: false }, now: 0 }
    const place = { path: ${JSON.stringify(join(folder, 'Many.qda'))}, name: 'Many' }
    await importAsNew({ file: ${JSON.stringify(file)}, place, isDryRun: false, call, clock: systemClock })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: dist, stdio: 'inherit' })
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  const left = readdirSync(folder)
  expect(left).not.toContain('Many.qda')
  // It was in the middle, and what is left is no project's name.
  expect(left.filter((name) => name.endsWith('.importing'))).toHaveLength(1)
})

test('an import that is cancelled leaves nothing', async () => {
  const { folder, file } = await packageOfMany()
  const cancelling = new AbortController()
  const context = { signal: cancelling.signal, progress: () => cancelling.abort() }
  const actor = { name: 'agent:a', coder: 'a', isOperator: false }
  const call = { context, session: 's', actor, now: 0 } as unknown as Call
  const place = { path: join(folder, 'Many.qda'), name: 'Many' }
  await expect(importAsNew({ file, place, isDryRun: false, call, clock: new VirtualClock() })).rejects.toMatchObject({
    name: 'AbortError',
  })
  expect(readdirSync(folder)).toEqual(['many.qdpx'])
})
