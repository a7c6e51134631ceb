import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestCallOptions } from '@callboard/worker/testing'
import { describe, expect, it } from 'vitest'
import { openCodedProject, operator } from '../support/coded-project.js'

const metadata = { source_id: 1, language: 'en' }
const mallory = { session: 'm', principal: 'agent:mallory' } as const

describe('one agent against another', () => {
  it('neither sees nor takes back the other’s suggestions', async () => {
    await using project = await openCodedProject(['one two'])
    const { suggestion_id: id } = (await project.call('suggest_source_metadata', metadata))['data']
    await project.call('open_project', { path: project.path }, mallory)
    expect((await project.call('list_pending', {}, mallory))['data'].total_count).toBe(0)
    for (const tool of ['get_suggestion', 'withdraw_suggestion'])
      expect(await project.call(tool, { id }, mallory)).toMatchObject({ error_code: 'SUGGESTION_NOT_FOUND' })
    expect(await project.call('get_suggestion', { id })).toMatchObject({ data: { status: 'pending' } })
  })

  it('can’t confirm what the other was shown', async () => {
    await using project = await openCodedProject(['one two'], { config: { require_preview_token: true } })
    await project.call('open_project', { path: project.path }, mallory)
    const { preview_token: token } = await project.call('remove_source', { source_id: 1 })
    const args = { source_id: 1, confirm: true, preview_token: token }
    expect(await project.call('remove_source', args, mallory)).toMatchObject({ error_code: 'PREVIEW_STALE' })
    expect(await project.call('remove_source', args)).toMatchObject({ removed: true })
  })

  it('has no part in the other’s request ids', async () => {
    await using project = await openCodedProject(['one two'])
    await project.call('open_project', { path: project.path }, mallory)
    const first = await project.call('create_code', { name: 'Joy', request_id: 'r' })
    const second = await project.call('create_code', { name: 'Joy', request_id: 'r' }, mallory)
    expect(first).toMatchObject({ success: true })
    expect(second).toMatchObject({ error_code: 'CODE_NOT_CREATED/DUPLICATE_NAME' })
    expect(await project.call('create_code', { name: 'Joy', request_id: 'r' })).toMatchObject({ replayed: true })
  })

  it('does not undo the other’s changes without a person', async () => {
    await using project = await openCodedProject(['one two'])
    await project.call('open_project', { path: project.path }, mallory)
    const { change_set_id: id } = await project.call('create_code', { name: 'Joy' })
    expect(await project.call('undo_change_set', { change_set_id: id }, mallory)).toMatchObject({
      data: { status: 'pending_approval' },
    })
    expect(await project.call('get_code', { code_id: 3 })).toMatchObject({ success: true })
  })

  it.each([
    ['agent:ada', 'AI Agent (ada)'],
    ['ada', 'AI Agent (ada)'],
    ['operator', 'AI Agent (operator)'],
    ['agent:operator:olga', 'AI Agent (operator:olga)'],
    ['agent:Operator (olga)', 'AI Agent (Operator (olga))'],
    ['agent:', 'AI Agent ()'],
    ['worker:ada', 'AI Agent (ada)'],
  ])('codes under no name of a person as %s', async (principal, owner) => {
    await using project = await openCodedProject(['one two'])
    const caller = { session: 'x', principal }
    await project.call('open_project', { path: project.path }, caller)
    const operations = [{ code_id: 1, source_id: 1, start_position: 0, end_position: 3 }]
    await project.call('batch_apply_codes', { operations }, caller)
    expect(project.codings()).toMatchObject([{ owner }])
  })

  it.each<[string, TestCallOptions]>([
    ['an agent', {}],
    ['an operator’s call that was passed on', { roles: ['operator'], onBehalfOf: 'operator:olga', depth: 1 }],
    ['an operator’s call from within a run', { roles: ['operator'], run: { id: 'r1', attempt: 1, triggerDepth: 0 } }],
    ['a nested call', { roles: ['operator'], depth: 1 }],
  ])('decides nothing as %s', async (_, caller) => {
    await using project = await openCodedProject(['one two'])
    const { suggestion_id: id } = (await project.call('suggest_source_metadata', metadata))['data']
    for (const [tool, args] of [
      ['approve_suggestion', { id }],
      ['reject_suggestion', { id, reason: 'no' }],
      ['list_suggestions', {}],
    ] as const) {
      const answer = await project.call(tool, args, { session: 'z', ...caller }).catch((error: Error) => error)
      const isRefused = answer instanceof Error || answer['error_code'] === 'PERMISSION_DENIED'
      expect([tool, isRefused]).toEqual([tool, true])
    }
    expect(await project.call('get_suggestion', { id })).toMatchObject({ data: { status: 'pending' } })
  })

  it('acts for whom the call is made, and not as the worker that passes it on', async () => {
    await using project = await openCodedProject(['one two'])
    const caller = { session: 'n', principal: 'worker:runner', onBehalfOf: 'agent:main', depth: 1 }
    await project.call('open_project', { path: project.path }, caller)
    const operations = [{ code_id: 1, source_id: 1, start_position: 0, end_position: 3 }]
    await project.call('batch_apply_codes', { operations }, caller)
    expect(project.codings()).toMatchObject([{ owner: 'AI Agent (main)' }])
  })

  it('is not told of another project’s cursor', async () => {
    await using project = await openCodedProject(['one two'])
    const other = project.qda.makeProject('Other')
    await project.call('open_project', { path: other }, mallory)
    await project.call('navigate_to_segment', { source_id: 1, start_pos: 0, end_pos: 3 })
    const [content] = (await project.qda.link.readResource('qda://cursor', mallory)) as readonly { text?: string }[]
    expect(content?.text).toBe('null')
  })
})

describe('the lock of QualCoder 3', () => {
  const operations = [{ code_id: 1, source_id: 1, start_position: 0, end_position: 3 }]

  it('keeps everybody from writing while it is fresh, and nobody once it is stale', async () => {
    await using project = await openCodedProject(['one two'])
    const { path, qda } = project
    await project.call('close_project')
    const lock = join(path, 'project_in_use.lock')
    writeFileSync(lock, `ada\n${qda.clock.now() / 1000}`)
    expect(await project.call('open_project', { path })).toMatchObject({ success: true, read_only: true })
    expect(await project.call('batch_apply_codes', { operations })).toMatchObject({ error_code: 'PROJECT_LOCKED' })
    expect(await project.call('list_sources')).toMatchObject({ success: true })
    qda.clock.advance(31_000)
    expect(await project.call('open_project', { path })).toMatchObject({ already_open: true, read_only: false })
    expect(await project.call('batch_apply_codes', { operations })).toMatchObject({ success: true })
  })

  it('stops writing at once when it changes hands, and approvals with it', async () => {
    await using project = await openCodedProject(['one two'])
    const { path, qda } = project
    const { suggestion_id: id } = (await project.call('suggest_source_metadata', metadata))['data']
    writeFileSync(join(path, 'project_in_use.lock'), `ada\n${qda.clock.now() / 1000}`)
    expect(await project.call('batch_apply_codes', { operations })).toMatchObject({ error_code: 'PROJECT_LOCKED' })
    expect(await project.call('approve_suggestion', { id }, operator)).toMatchObject({ error_code: 'PROJECT_LOCKED' })
    expect(await project.call('create_folder', { name: 'x' })).toMatchObject({ error_code: 'PROJECT_LOCKED' })
    expect(project.codings()).toEqual([])
  })
})
