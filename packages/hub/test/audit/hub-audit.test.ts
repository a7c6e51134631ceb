import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { verifyAudit } from '../../src/audit/verify.js'
import { createHubLog, parseHubConfig, startHub } from '../../src/index.js'
import { temporaryDirectory } from '../temporary.js'

const log = createHubLog('silent', process.stderr)

async function startedAndStopped(variables: Record<string, string>, file?: object) {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  const environment = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: 'off', ...variables }
  const hub = await startHub({ config: parseHubConfig({ environment, file }), version: '1', log, expects: [] })
  onTestFinished(() => hub.stop())
  await hub.stop()
  return data
}

it('a hub that is told nothing keeps no journal', async () => {
  expect(await readdir(await startedAndStopped({}))).not.toContain('audit')
})

it('a hub that is told to keeps one from its start to its stop', async () => {
  const directory = join(await startedAndStopped({ CALLBOARD_AUDIT: 'on' }), 'audit')
  const lines = (await readFile(join(directory, 'audit-00000001.jsonl'), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['file', 'started', 'stopped'])
  expect((await verifyAudit({ directory })).problems).toEqual([])
})

it('the variable wins over the file', async () => {
  expect(await readdir(await startedAndStopped({ CALLBOARD_AUDIT: 'off' }, { audit: true }))).not.toContain('audit')
})

it('every mistake in the settings is named', () => {
  const read = () =>
    parseHubConfig({ environment: { CALLBOARD_AUDIT: 'yes' }, file: { audit: { fileByte: 1, arguments: 'all' } } })
  expect(read).toThrow(
    /CALLBOARD_AUDIT: yes must be on or off.*fileByte \(did you mean fileBytes.*audit.arguments: must be hash, redacted or full/s,
  )
})
