import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest

beforeEach(async () => {
  qda = await openQdaForTest()
})

afterEach(() => qda[Symbol.asyncDispose]())

const closed = {
  ...{ project_open: false, project_name: null, project_path: null, source_count: 0, sources: [] },
  ...{
    case_count: 0,
    cases: [],
    coder_name: null,
    coders: [],
    schema_version: null,
    read_only: null,
    pending_count: 0,
  },
}

describe('get_project_context', () => {
  it('is no failure without a project', async () => {
    expect(await qda.call('get_project_context')).toEqual({ success: true, data: closed })
  })

  it('tells of the project, its sources by name, and its cases', async () => {
    const path = await qda.openProject('My Research')
    qda.db(path).exec(`INSERT INTO source (id, name, mediapath) VALUES (1, 'b.txt', NULL), (2, 'a.mp3', '/audio/a.mp3');
      INSERT INTO cases (caseid, name) VALUES (1, 'Participant B'), (2, 'Participant A'), (3, NULL)`)
    await qda.call('create_folder', { name: 'Talks' })
    await qda.call('move_source_to_folder', { source_id: 2, folder_id: 1 })
    expect(await qda.call('get_project_context')).toEqual({
      success: true,
      data: {
        project_open: true,
        project_name: 'My Research',
        project_path: path,
        source_count: 2,
        sources: [
          { id: 2, name: 'a.mp3', type: 'audio', status: 'imported', folder_id: 1 },
          { id: 1, name: 'b.txt', type: 'text', status: 'imported', folder_id: null },
        ],
        case_count: 3,
        cases: [
          { id: 3, name: '' },
          { id: 2, name: 'Participant A' },
          { id: 1, name: 'Participant B' },
        ],
        coder_name: 'ada',
        coders: [],
        schema_version: 17,
        read_only: false,
        pending_count: 0,
      },
    })
  })

  it('counts what the caller alone waits for', async () => {
    await qda[Symbol.asyncDispose]()
    qda = await openQdaForTest({ config: { levels: { create_folder: 'T4' } } })
    await qda.openProject()
    await qda.call('create_folder', { name: 'a' })
    expect((await qda.call('get_project_context'))['data']).toMatchObject({ pending_count: 1 })
    const other = await qda.call('get_project_context', {}, { principal: 'agent:two' })
    expect(other['data']).toMatchObject({ pending_count: 0 })
  })
})
