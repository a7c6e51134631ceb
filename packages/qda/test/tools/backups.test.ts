import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

const open: QdaForTest[] = []
afterEach(async () => {
  for (const qda of open.splice(0)) await qda[Symbol.asyncDispose]()
})

const operator = { principal: 'operator:lea', roles: ['operator'], session: 'session-of-lea' } as const

async function opened(config?: unknown) {
  const qda = await openQdaForTest({ config })
  open.push(qda)
  const path = await qda.openProject()
  const { call } = qda
  const folders = async () => (await call('list_folders'))['folders'].map(({ name }: { name: string }) => name)
  const backups = async (): Promise<string[]> =>
    (await call('list_backups'))['data'].backups.map(({ name }: { name: string }) => name)
  return { qda, path, call, folders, backups }
}

describe('a backup', () => {
  it('is made before the first write of each session, and opens as a project', async () => {
    const { qda, path, call, backups } = await opened()
    await call('list_folders')
    await call('create_folder', { name: 'Dry', dry_run: true })
    expect(await backups()).toEqual([])
    await call('create_folder', { name: 'One' })
    await call('create_folder', { name: 'Two' })
    expect(await backups()).toEqual([expect.stringMatching(/^Study_CB_\d{8}_\d{6}\.qda$/)])
    qda.clock.advance(60_000)
    const second = { session: 'session-2' }
    await call('open_project', { path }, second)
    await call('create_folder', { name: 'Three' }, second)
    const [newest, oldest] = await backups()
    await call('open_project', { path: `${dirname(path)}/${newest}` }, second)
    expect(await call('list_folders', {}, second)).toMatchObject({ folders: [{ name: 'One' }, { name: 'Two' }] })
    await call('open_project', { path: `${dirname(path)}/${oldest}` }, second)
    expect(await call('list_folders', {}, second)).toMatchObject({ folders: [] })
  })

  it('is one, where two first writes of a session come at once', async () => {
    const { call, backups } = await opened()
    await Promise.all(['One', 'Two'].map((name) => call('create_folder', { name })))
    expect(await backups()).toHaveLength(1)
  })

  it('is one of so many as the operator keeps', async () => {
    const { qda, path, call, backups } = await opened({ backups: 2 })
    for (let n = 1; n <= 4; n += 1) {
      qda.clock.advance(60_000)
      const session = { session: `session-${n}` }
      await call('open_project', { path }, session)
      await call('create_folder', { name: `Folder ${n}` }, session)
    }
    expect(await backups()).toHaveLength(2)
    expect(readdirSync(dirname(path)).filter((name) => name.includes('_CB_'))).toHaveLength(2)
  })
})

describe('restoring a backup', () => {
  async function changed(config?: unknown) {
    const all = await opened(config)
    await all.call('create_folder', { name: 'One' })
    const [name] = await all.backups()
    all.qda.clock.advance(60_000)
    return { ...all, name: name! }
  }

  it('waits for a person', async () => {
    const { call, folders, name } = await changed()
    expect(await call('restore_backup', { name })).toMatchObject({
      success: true,
      data: { status: 'pending_approval', requires_approval: true },
    })
    expect(await folders()).toEqual(['One'])
    expect(await call('restore_backup', { name: 'Other_CB_20260302_120000.qda' })).toMatchObject({
      error_code: 'BACKUP_NOT_FOUND',
    })
    expect(await call('restore_backup', { name: '../Study.qda' })).toMatchObject({ error_code: 'BACKUP_NOT_FOUND' })
  })

  it('puts both files back for all sessions, which stay open, after a backup of what was there', async () => {
    const { qda, path, call, folders, backups, name } = await changed()
    await call('add_text_source', { name: 'Interview', content: 'Hello' })
    await call('open_project', { path }, operator)
    const { data } = await call('restore_backup', { name }, operator)
    expect(data).toMatchObject({ restored: name, saved_as: expect.stringMatching(/^Study_CB_/), change_set_id: null })
    expect(await folders()).toEqual([])
    expect(await call('list_sources')).toMatchObject({ data: { count: 0 } })
    expect(await backups()).toEqual([data.saved_as, name])
    qda.clock.advance(60_000)
    await call('restore_backup', { name: data.saved_as }, operator)
    expect(await folders()).toEqual(['One'])
    expect(await call('list_sources')).toMatchObject({ data: { count: 1 } })
  })

  it('is possible of the oldest one although as many are there as are kept', async () => {
    const { path, call, backups, name } = await changed({ backups: 1 })
    await call('open_project', { path }, operator)
    const { data } = await call('restore_backup', { name }, operator)
    expect(data).toMatchObject({ restored: name })
    expect(await backups()).toContain(data.saved_as)
  })

  it('approves the suggestion that asked for it, though that is younger than what is restored', async () => {
    const { call, folders, name } = await changed()
    const asked = { name, request_id: 'a' }
    const { data } = await call('restore_backup', asked)
    const id = data.suggestion_id
    const approved = await call('approve_suggestion', { id }, operator)
    expect(approved).toMatchObject({ data: { status: 'approved', result: { restored: name } } })
    expect(await folders()).toEqual([])
    expect(await call('get_suggestion', { id })).toMatchObject({ data: { status: 'approved', actor: 'agent:main' } })
    expect(await call('approve_suggestion', { id }, operator)).toMatchObject({ error_code: 'ALREADY_DECIDED' })
    expect(await call('list_suggestions', { status: 'approved' }, operator)).toMatchObject({ data: { total_count: 1 } })
  })

  it('does nothing in a dry run', async () => {
    const { path, call, folders, backups, name } = await changed()
    await call('open_project', { path }, operator)
    expect(await call('restore_backup', { name, dry_run: true }, operator)).toMatchObject({
      data: { restored: name, saved_as: null, dry_run: true },
    })
    expect([await folders(), await backups()]).toEqual([['One'], [name]])
  })

  it('knows the tables of what it put back', async () => {
    const { qda, path, call, name } = await changed()
    qda.db(path).exec('ALTER TABLE code_name DROP COLUMN supercid')
    expect(await call('get_project_context')).toMatchObject({ success: true })
    await call('open_project', { path }, operator)
    expect(await call('restore_backup', { name }, operator)).toMatchObject({ success: true })
    expect(await call('create_folder', { name: 'Two' })).toMatchObject({ success: true })
  })
})

describe('undo', () => {
  it('takes back one’s own changes, and those of others once a person says so', async () => {
    const { path, call, folders } = await opened()
    const ada = { principal: 'agent:ada', session: 'session-2' }
    const { change_set_id } = await call('create_folder', { name: 'One' })
    await call('open_project', { path }, ada)
    const waiting = await call('undo_change_set', { change_set_id }, ada)
    expect(waiting).toMatchObject({ data: { status: 'pending_approval' } })
    const { data } = await call('undo_change_set', { change_set_id })
    expect(data).toMatchObject({ undone_change_set_id: change_set_id, undone: 1, skipped: [], id_map: [] })
    expect(await folders()).toEqual([])
    const stale = await call('approve_suggestion', { id: waiting['data'].suggestion_id }, operator)
    expect(stale).toMatchObject({ data: { status: 'stale' } })
    await call('undo_change_set', { change_set_id: data.change_set_id })
    expect(await folders()).toEqual(['One'])
    const { data: listed } = await call('list_changes')
    expect(
      listed.changes.map(({ tool, undone_by }: { tool: string; undone_by: unknown }) => [tool, undone_by]),
    ).toEqual([
      ['undo_change_set', null],
      ['undo_change_set', listed.changes[0].change_set_id],
      ['create_folder', null],
    ])
    expect(await call('undo_change_set', { change_set_id: 'nowhere' })).toMatchObject({
      error_code: 'CHANGE_SET_NOT_FOUND',
    })
  })
})
