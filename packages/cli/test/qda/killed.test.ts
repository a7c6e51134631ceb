import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { killHard, QdaInstallation } from './support/qda-installation.js'

async function open() {
  const installation = new QdaInstallation()
  const worker = await installation.start()
  const path = join(installation.directory, 'Study.qda')
  await installation.ask('create_project', { path })
  await installation.ask('close_project')
  await installation.ask('open_project', { path })
  return { installation, worker, path }
}

/** Nobody else can write until it is released. */
function hold(path: string): () => void {
  const database = new Database(join(path, 'data.qda'))
  onTestFinished(() => void database.close())
  database.exec('BEGIN IMMEDIATE')
  return () => database.exec('ROLLBACK')
}

it('while the worker is down its tools are listed, and a call says that it is away', async () => {
  const { installation, worker } = await open()
  await killHard(worker)
  expect((await installation.send('GET', '/')).status).toBe(200)
  expect((await installation.send('GET', '/tools')).body.tools.length).toBeGreaterThanOrEqual(25)
  expect(await installation.post('/tools/list_codes', { arguments: {} })).toMatchObject({
    status: 503,
    body: { success: false, error_code: 'WORKER_UNAVAILABLE', details: { code: 'unavailable' } },
  })
})

it('a write that was under way is unknown; after that nothing is open, and with its request_id it is done once', async () => {
  const { installation, worker, path } = await open()
  const release = hold(path)
  const note = { kind: 'project', memo: 'once', append: true, request_id: 'note-1' }
  const answer = installation.post('/tools/set_memo', { arguments: note })
  // Before its first write the session has its backup.
  await vi.waitFor(() => expect(readdirSync(installation.directory).some((name) => name.includes('_CB_'))).toBe(true))
  await killHard(worker)
  expect(await answer).toMatchObject({
    status: 503,
    body: { success: false, error_code: 'WORKER_UNAVAILABLE', details: { code: 'outcome_unknown' } },
  })
  release()

  await installation.qda()
  expect(await installation.call('list_codes')).toMatchObject({ error: 'No project open', error_code: 'NO_PROJECT' })
  await installation.ask('open_project', { path })
  await installation.ask('set_memo', note)
  expect(await installation.ask('set_memo', note)).toMatchObject({ data: { replayed: true } })
  expect((await installation.ask('get_memo', { kind: 'project' })).data.memo).toBe('once')
})

it('a write that may be repeated is not: the project that it was for was open in the worker that is gone', async () => {
  const { installation, worker, path } = await open()
  const release = hold(path)
  const answer = installation.post('/tools/create_code', { arguments: { name: 'Hope' } })
  await vi.waitFor(() => expect(readdirSync(installation.directory).some((name) => name.includes('_CB_'))).toBe(true))
  await killHard(worker)
  release()
  await installation.qda()
  expect((await answer).body).toMatchObject({ error_code: 'WORKER_UNAVAILABLE', details: { code: 'outcome_unknown' } })
  await installation.ask('open_project', { path })
  expect((await installation.ask('list_codes')).data).toEqual([])
})
