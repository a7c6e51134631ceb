import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string
let seen: number

beforeEach(async () => {
  qda = await openQdaForTest()
  path = await qda.openProject()
  await qda.call('add_text_source', { name: 'a', content: 'Grüße 👋🏽!' })
  await qda.link.settled()
  seen = qda.link.events.length
})

afterEach(() => qda[Symbol.asyncDispose]())

const resource = async (uri: string, session = 'session-1') => {
  const [content] = await qda.link.readResource(uri, { session })
  return JSON.parse(String(content?.['text']))
}
/** Who was told that a resource has changed, since the last time somebody asked. */
const updates = async (uri: string) => {
  await qda.link.settled()
  const fresh = qda.link.events.slice(seen) as readonly object[]
  seen = qda.link.events.length
  return fresh.map((event) => JSON.stringify(event)).filter((event) => event.includes(uri))
}

const passage = { source_id: 1, start_pos: 6, end_pos: 8 }
const navigate = (args: object = {}, session = 'session-1') =>
  qda.call('navigate_to_segment', { ...passage, ...args }, { session })

describe('navigate_to_segment', () => {
  it('counts code points, and nobody where nobody watches', async () => {
    expect(await navigate()).toEqual({
      success: true,
      data: { navigated_to: { ...passage, highlight: true }, delivered_to: 0, current_screen: null },
    })
    expect(await updates('qda://cursor')).toEqual([])
  })

  it('reaches the sessions that watch in this project, and tells how many', async () => {
    await qda.call('open_project', { path }, { session: 'two' })
    await qda.call('open_project', { path: qda.makeProject('Other') }, { session: 'elsewhere' })
    for (const session of ['two', 'elsewhere', 'without']) await qda.link.subscribe('qda://cursor', session)
    await updates('qda://cursor')
    expect(await navigate()).toMatchObject({ data: { delivered_to: 1 } })
    expect(await updates('qda://cursor')).toEqual([expect.stringContaining('"session":"two"')])
    await qda.link.subscribe('qda://cursor')
    expect(await navigate({ highlight: false })).toMatchObject({ data: { delivered_to: 2 } })
    await qda.link.unsubscribe('qda://cursor', 'two')
    expect(await navigate()).toMatchObject({ data: { delivered_to: 1 } })
    await qda.link.closeSession('session-1')
    expect(await navigate({}, 'two')).toMatchObject({ data: { delivered_to: 0 } })
  })

  it.each([
    ['INVALID_POSITION', { start_pos: -1 }],
    ['INVALID_POSITION', { end_pos: 10 }],
    ['INVALID_POSITION', { start_pos: 8, end_pos: 7 }],
    ['SOURCE_NOT_FOUND', { source_id: 9 }],
    ['MISSING_PARAMETER', { end_pos: null }],
  ])('answers %s to %j, and the cursor stays', async (code, args) => {
    await navigate()
    expect(await navigate(args)).toMatchObject({ success: false, error_code: code })
    expect(await resource('qda://cursor')).toEqual({ ...passage, highlight: true })
  })

  it('goes nowhere on a dry run', async () => {
    expect(await navigate({ dry_run: true })).toMatchObject({ success: true, data: { dry_run: true } })
    expect(await resource('qda://cursor')).toBeNull()
  })

  it('works in a project that can only be read', async () => {
    await qda.call('close_project')
    qda.db(path).exec("UPDATE project SET databaseversion = 'v18'")
    await qda.call('open_project', { path })
    expect(await navigate()).toMatchObject({ success: true })
  })
})

describe('qda://cursor', () => {
  it('is where somebody was sent last, for every session of the project', async () => {
    expect(await resource('qda://cursor')).toBeNull()
    await qda.call('open_project', { path }, { session: 'two' })
    await navigate()
    await navigate({ start_pos: 0, highlight: false }, 'two')
    for (const session of ['session-1', 'two'])
      expect(await resource('qda://cursor', session)).toEqual({ ...passage, start_pos: 0, highlight: false })
    expect(await resource('qda://cursor', 'elsewhere')).toBeNull()
  })

  it('is nowhere once the source is gone, also for a later one with its id', async () => {
    await navigate()
    await qda.call('remove_source', { source_id: 1, confirm: true })
    expect(await resource('qda://cursor')).toBeNull()
    await qda.call('add_text_source', { name: 'b', content: 'another text' })
    expect(await resource('qda://cursor')).toBeNull()
  })
})

describe('qda://project', () => {
  it('is what get_project_context tells that session', async () => {
    for (const session of ['session-1', 'elsewhere']) {
      const { data } = await qda.call('get_project_context', {}, { session })
      expect(await resource('qda://project', session)).toEqual(data)
    }
  })

  it('changes for the other sessions when one of them writes', async () => {
    await qda.call('open_project', { path }, { session: 'two' })
    for (const session of ['session-1', 'two']) await qda.link.subscribe('qda://project', session)
    await updates('qda://project')
    await qda.call('create_folder', { name: 'a' })
    expect(await updates('qda://project')).toEqual([expect.stringContaining('"session":"two"')])
  })

  it('changes for a session that opens or closes a project', async () => {
    await qda.link.subscribe('qda://project')
    await updates('qda://project')
    await qda.call('open_project', { path: join(qda.makeProject('Other'), 'data.qda') })
    expect(await updates('qda://project')).toHaveLength(1)
    await qda.call('close_project')
    expect(await updates('qda://project')).toHaveLength(1)
    await qda.call('close_project')
    expect(await updates('qda://project')).toEqual([])
  })
})
