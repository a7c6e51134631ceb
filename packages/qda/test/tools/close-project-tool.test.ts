import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest

beforeEach(async () => {
  qda = await openQdaForTest()
})

afterEach(() => qda[Symbol.asyncDispose]())

describe('close_project', () => {
  it('closes the project of the session', async () => {
    await qda.openProject('My Research')
    const data = { closed: true, project_name: 'My Research' }
    expect(await qda.call('close_project')).toEqual({ success: true, ...data, data })
    expect(await qda.call('list_folders')).toMatchObject({ success: false, error_code: 'NO_PROJECT' })
  })

  it('is not needed for a project that opened while its session ended', async () => {
    const path = qda.makeProject('Late')
    const abort = new AbortController()
    const opening = qda.link.callTool('open_project', { path }, { session: 'gone', signal: abort.signal })
    abort.abort()
    await Promise.allSettled([opening, qda.link.closeSession('gone')])
    // Whoever comes later finds nothing that is still open.
    await qda.call('open_project', { path })
    await qda.call('close_project')
    expect(existsSync(join(path, 'project_in_use.lock'))).toBe(false)
  })

  it('is content where none is open', async () => {
    const data = { closed: false, message: 'No project was open' }
    expect(await qda.call('close_project')).toEqual({ success: true, ...data, data })
  })

  it('leaves it open on a dry run', async () => {
    await qda.openProject()
    expect(await qda.call('close_project', { dry_run: true })).toMatchObject({
      success: true,
      closed: false,
      dry_run: true,
    })
    expect(await qda.call('list_folders')).toMatchObject({ success: true })
  })

  it('lets a call that runs end first', async () => {
    const path = await qda.openProject()
    const [added, closed] = await Promise.all([
      qda.call('add_text_source', { name: 'a', content: 'b' }),
      qda.call('close_project'),
    ])
    expect([added, closed]).toMatchObject([{ success: true }, { success: true, closed: true }])
    expect(qda.db(path).prepare('SELECT name FROM source').pluck().all()).toEqual(['a'])
  })
})
