import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string

beforeEach(async () => {
  qda = await openQdaForTest()
  path = await qda.openProject()
  qda.db(path).exec("INSERT INTO source (id, name, fulltext, date) VALUES (1, 'a', 'x', 'd'), (2, 'b', 'y', 'd')")
})

afterEach(() => qda[Symbol.asyncDispose]())

const create = (name: string, parent_id?: number | null) => qda.call('create_folder', { name, parent_id })
const move = (source_id: number, folder_id?: number | string | null) =>
  qda.call('move_source_to_folder', { source_id, folder_id })

describe('create_folder', () => {
  it('makes one at the root, or in another one', async () => {
    const data = { folder_id: 1, name: 'Interviews', parent_id: null, change_set_id: expect.any(String) }
    expect(await create(' Interviews ')).toEqual({ success: true, ...data, data })
    expect(await create('2025', 1)).toMatchObject({ folder_id: 2, parent_id: 1 })
    expect(await create('Notes', 0)).toMatchObject({ folder_id: 3, parent_id: null })
    expect(await create('Maps', null)).toMatchObject({ folder_id: 4, parent_id: null })
  })

  it('refuses a name that a folder beside it has in another case or normal form', async () => {
    await create('Caf\u00e9')
    expect(await create('CAFE\u0301')).toMatchObject({
      success: false,
      error_code: 'FOLDER_NOT_CREATED/DUPLICATE_NAME',
      error: "Folder with name 'Caf\u00e9' already exists",
    })
    expect(await create('caf\u00e9', 1)).toMatchObject({ success: true })
  })

  it.each(['a/b', 'a\\b', 'a\nb', 'x'.repeat(256)])('refuses the name %j', async (name) => {
    expect(await create(name)).toMatchObject({ success: false, error_code: 'FOLDER_NOT_CREATED/INVALID_NAME' })
  })

  it('misses a name of blanks', async () => {
    expect(await create('  ')).toMatchObject({ error: 'Missing required parameter: name' })
  })

  it('refuses a parent that is not there', async () => {
    expect(await create('a', 9)).toMatchObject({ success: false, error_code: 'FOLDER_NOT_CREATED/PARENT_NOT_FOUND' })
  })

  it('gives no id twice, so that nothing falls into a folder that had it', async () => {
    await create('a')
    await qda.call('delete_folder', { folder_id: 1 })
    expect(await create('b')).toMatchObject({ folder_id: 2 })
  })
})

describe('list_folders', () => {
  it('lists parents before children, with the sources directly in each', async () => {
    await create('Interviews')
    await create('2025', 1)
    await create('Archive')
    await move(1, 2)
    await move(2, 2)
    const folders = [
      { id: 1, name: 'Interviews', parent_id: null, source_count: 0 },
      { id: 2, name: '2025', parent_id: 1, source_count: 2 },
      { id: 3, name: 'Archive', parent_id: null, source_count: 0 },
    ]
    const data = { total_count: 3, folders }
    expect(await qda.call('list_folders')).toEqual({ success: true, ...data, data })
  })

  it('keeps a folder with something in it, though its making is undone', async () => {
    const { change_set_id } = await create('Interviews')
    await create('2025', 1)
    await move(1, 1)
    expect(await qda.call('undo_change_set', { change_set_id })).toMatchObject({
      data: { undone: 0, skipped: [{ table: 'folder', row_id: 1 }] },
    })
    expect(await qda.call('list_folders')).toMatchObject({ folders: [{ id: 1, source_count: 1 }, { id: 2 }] })
  })
})

describe('rename_folder', () => {
  beforeEach(async () => {
    await create('Interviews')
    await create('Notes')
  })

  const rename = (folder_id: number, new_name: string) => qda.call('rename_folder', { folder_id, new_name })

  it('gives another name, also one that differs in case alone', async () => {
    expect(await rename(1, 'Talks')).toMatchObject({ success: true, folder_id: 1, name: 'Talks', changed: true })
    expect(await rename(1, 'TALKS')).toMatchObject({ success: true, name: 'TALKS', changed: true })
  })

  it('changes nothing where it has that name', async () => {
    expect(await rename(1, 'Interviews')).toMatchObject({ success: true, changed: false, change_set_id: null })
  })

  it.each([
    ['FOLDER_NOT_RENAMED/DUPLICATE_NAME', 1, 'NOTES'],
    ['FOLDER_NOT_RENAMED/INVALID_NAME', 1, 'a/b'],
    ['FOLDER_NOT_FOUND', 9, 'x'],
    ['MISSING_PARAMETER', 1, ' '],
  ])('answers %s', async (code, folder, name) => {
    expect(await rename(folder, name)).toMatchObject({ success: false, error_code: code })
  })
})

describe('delete_folder', () => {
  it('deletes an empty one, and undo brings it back', async () => {
    await create('a')
    const answer = await qda.call('delete_folder', { folder_id: '1' })
    expect(answer).toMatchObject({ success: true, folder_id: 1, name: 'a' })
    expect(await qda.call('delete_folder', { folder_id: 1 })).toMatchObject({ error_code: 'FOLDER_NOT_FOUND' })
    await qda.call('undo_change_set', { change_set_id: answer['change_set_id'] })
    expect(await qda.call('list_folders')).toMatchObject({ folders: [{ id: 1, name: 'a' }] })
  })

  it('refuses one with sources, and one with folders in it', async () => {
    await create('a')
    await create('b', 1)
    await move(1, 2)
    expect(await qda.call('delete_folder', { folder_id: 2 })).toMatchObject({
      success: false,
      error_code: 'FOLDER_NOT_DELETED/HAS_SOURCES',
    })
    expect(await qda.call('delete_folder', { folder_id: 1 })).toMatchObject({
      success: false,
      error_code: 'FOLDER_NOT_DELETED/HAS_SUBFOLDERS',
    })
    expect(await qda.call('list_folders')).toMatchObject({ total_count: 2 })
  })
})

describe('move_source_to_folder', () => {
  beforeEach(() => create('a'))

  it('moves in, and back to the root', async () => {
    const data = { source_id: 1, old_folder_id: null, new_folder_id: 1, change_set_id: expect.any(String) }
    expect(await move(1, '1')).toEqual({ success: true, ...data, data })
    for (const root of [null, 0, undefined]) {
      expect(await move(1, root)).toMatchObject({ success: true, old_folder_id: 1, new_folder_id: null })
      await move(1, 1)
    }
  })

  it('is no change where the source is there already', async () => {
    await move(1, 1)
    expect(await move(1, 1)).toMatchObject({ success: true, old_folder_id: 1, new_folder_id: 1, change_set_id: null })
  })

  it('names the source that is not there before the folder that is not there', async () => {
    expect(await move(9, 9)).toMatchObject({ success: false, error_code: 'SOURCE_NOT_FOUND' })
    expect(await move(1, 9)).toMatchObject({ success: false, error_code: 'FOLDER_NOT_FOUND' })
  })

  it('is not inherited by a later source with the same id', async () => {
    await move(2, 1)
    qda.db(path).exec("DELETE FROM source WHERE id = 2; INSERT INTO source (id, name, date) VALUES (2, 'new', 'e')")
    const { data } = await qda.call('list_sources')
    expect(data.sources[1]).toMatchObject({ id: 2, name: 'new', folder_id: null })
    expect(await qda.call('delete_folder', { folder_id: 1 })).toMatchObject({ success: true })
  })

  it('is undone', async () => {
    const { change_set_id } = await move(1, 1)
    await qda.call('undo_change_set', { change_set_id })
    expect(await qda.call('list_folders')).toMatchObject({ folders: [{ source_count: 0 }] })
  })
})
