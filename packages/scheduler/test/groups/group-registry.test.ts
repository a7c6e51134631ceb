import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeBothDatabases } from '@callboard/store/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CloseReason } from '../../src/engine/scheduling.js'
import { GroupRegistry } from '../../src/groups/group-registry.js'
import { GroupsFileError } from '../../src/groups/groups-file.js'
import type { NewMessage } from '../../src/messages/messages.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const main = { folder: 'main', tag: 'main', name: 'Main', admin: true }
const lab = { folder: 'lab', tag: 'lab', name: 'Lab' }

describeBothDatabases('the groups', (database) => {
  let foundation: TestFoundation
  let place: string
  let file: string
  let directory: string
  let posted: NewMessage[]
  let closed: { taskId: string; why: CloseReason }[]
  let wakes: string[]

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create(), groups: [] })
    place = await mkdtemp(join(tmpdir(), 'callboard-registry-'))
    file = join(place, 'data', 'groups.json')
    directory = join(place, 'data', 'groups')
    posted = []
    closed = []
    wakes = []
  })
  afterEach(async () => {
    await foundation[Symbol.asyncDispose]()
    await rm(place, { recursive: true, force: true })
  })

  const effects = () => ({
    scheduling: {
      closeRuns: async (_db: unknown, taskId: string, why: CloseReason) => {
        closed.push({ taskId, why })
        return { closed: 1 }
      },
      wake: () => void wakes.push('scheduling'),
    },
    messages: {
      post: async (_db: unknown, message: NewMessage) => {
        posted.push(message)
        return { messageId: 'msg_1', state: 'queued' as const, warnings: [] }
      },
    },
    outbox: { wake: () => void wakes.push('outbox') },
  })

  async function write(...groups: readonly object[]): Promise<void> {
    await mkdir(join(place, 'data'), { recursive: true })
    await writeFile(file, JSON.stringify({ groups }))
  }

  const open = () => GroupRegistry.open({ ...foundation, file, directory })

  async function start(...groups: readonly object[]): Promise<GroupRegistry> {
    if (groups.length > 0) await write(...groups)
    const registry = await open()
    await registry.start(effects())
    return registry
  }

  const rows = () => foundation.store.db.selectFrom('groups').selectAll().orderBy('folder').execute()

  const activity = (type: string) =>
    foundation.store.db
      .selectFrom('activity')
      .select(['group_folder', 'summary', 'task_id'])
      .where('event_type', '=', type)
      .orderBy('id')
      .execute()

  async function addTask(id: string, folder: string, status: 'active' | 'paused' | 'completed' = 'active') {
    await foundation.store.db
      .insertInto('tasks')
      .values({
        id,
        group_folder: folder,
        prompt: 'p',
        schedule_type: 'cron',
        schedule_value: '0 9 * * *',
        timezone: 'UTC',
        anchor: 0,
        context_mode: 'group',
        missed: 'latest',
        overlap: 'skip',
        jitter_ms: 0,
        expect: 'any',
        deliver: 'none',
        depth: 0,
        status,
        next_fire: status === 'active' ? 5 : null,
        due_at: status === 'active' ? 5 : null,
        failures: 0,
        version: 1,
        created_by: 'agent:lab',
        creator_group: folder,
        created_at: 0,
      })
      .execute()
  }

  async function addRun(id: string, taskId: string, folder: string, state: 'queued' | 'waiting' | 'running' | 'ended') {
    await foundation.store.db
      .insertInto('runs')
      .values({
        id,
        task_id: taskId,
        group_folder: folder,
        depth: 0,
        scheduled_for: 5,
        due_at: 5,
        state,
        serial: 0,
        exclusive: 0,
        attempts: 0,
        attempts_before: 0,
        fence: 0,
        late_ms: 0,
        slots: 1,
        created_at: 5,
      })
      .execute()
  }

  it('begin with one, main, which is the admin group', async () => {
    const registry = await start()
    expect(registry.all).toEqual([{ folder: 'main', tag: 'main', name: 'Main', isAdmin: true, envAllow: [] }])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(directory, 'main'))).mode & 0o777).toBe(0o700)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ groups: [main] })
    expect(await rows()).toEqual([{ folder: 'main', tag: 'main', name: 'Main', is_admin: 1, removed_at: null }])
  })

  it('begin with one file, however many processes start', async () => {
    const registries = await Promise.all(Array.from({ length: 8 }, open))
    expect(registries.map(({ all }) => all.length)).toEqual(Array(8).fill(1))
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ groups: [main] })
  })

  it('are found by folder, and by tag in any case', async () => {
    const registry = await start(main, { ...lab, tag: 'research' })
    expect(registry.byTag('ReSearch')?.folder).toBe('lab')
    expect(registry.byFolder('lab')?.tag).toBe('research')
    expect(registry.byFolder('research')).toBeUndefined()
    expect(registry.admin.folder).toBe('main')
  })

  it('are registered by the file alone: no tag of a mail finds or makes another one', async () => {
    const registry = await start(main)
    for (const tag of ['../../x', '..', 'errors', 'lab', '', 'main/..', '__proto__', 'constructor']) {
      expect(registry.byTag(tag)).toBeUndefined()
      expect(registry.byFolder(tag)).toBeUndefined()
    }
    expect(await readdir(directory)).toEqual(['main'])
    expect(await readdir(place)).toEqual(['data'])
    expect(await rows()).toHaveLength(1)
  })

  it('are not opened with a file that has a mistake', async () => {
    await write(main, { ...lab, tag: 'errors' })
    await expect(open()).rejects.toBeInstanceOf(GroupsFileError)
    await expect(stat(directory)).rejects.toThrow('ENOENT')
  })

  it('have directories side by side, none of them a link', async () => {
    await mkdir(join(place, 'elsewhere'))
    await mkdir(directory, { recursive: true })
    await symlink(join(place, 'elsewhere'), join(directory, 'lab'))
    await writeFile(join(directory, 'web'), '')
    await write(main, lab, { folder: 'web', tag: 'web', name: 'Web' })
    const error = await open().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      problems: ['lab is a link: put a directory in its place', 'web is no directory: move it away'],
    })
  })

  it('may lie behind a link as a whole', async () => {
    await mkdir(join(place, 'elsewhere'))
    await mkdir(join(place, 'data'))
    await symlink(join(place, 'elsewhere'), directory)
    const registry = await start(main)
    expect(await registry.directoryOf(registry.admin)).toBe(join(place, 'elsewhere', 'main'))
  })

  it('give no directory that became a link, or is not theirs', async () => {
    const registry = await start(main, lab)
    expect(await registry.directoryOf(registry.byFolder('lab')!)).toBe(join(directory, 'lab'))
    await rename(join(directory, 'lab'), join(directory, 'gone'))
    await expect(registry.directoryOf(registry.byFolder('lab')!)).rejects.toThrow('ENOENT')
    await symlink(join(directory, 'main'), join(directory, 'lab'))
    await expect(registry.directoryOf(registry.byFolder('lab')!)).rejects.toThrow('is a link')
    await expect(registry.directoryOf({ ...registry.admin, folder: '..' })).rejects.toThrow('not registered')
  })

  it('keep their old set when the new file has a mistake, and log all of them', async () => {
    const registry = await start(main, lab)
    await write({ ...main, admin: false }, { ...lab, colour: 'red' })
    expect(await registry.reload()).toBe('kept')
    expect(registry.all.map(({ folder }) => folder)).toEqual(['main', 'lab'])
    expect(foundation.logged).toContainEqual({
      level: 'error',
      details: {
        file,
        problems: ['groups[1].colour: there is no such key', 'groups: exactly one must have "admin": true; none has'],
      },
      message: 'groups file not taken: the groups stay as they were',
    })
  })

  it('keep their old set when the file is gone: nobody meant to remove everything', async () => {
    const registry = await start(main, lab)
    await rm(file)
    expect(await registry.reload()).toBe('kept')
    expect(registry.all).toHaveLength(2)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  it('keep their old set when the database fails', async () => {
    const registry = await start(main, lab)
    await write(main)
    await foundation.store.close()
    expect(await registry.reload()).toBe('kept')
    expect(registry.byFolder('lab')).toBeDefined()
  })

  it('that were removed have their tasks paused once, their waiting runs closed, and one notice sent', async () => {
    const registry = await start(main, lab)
    await addTask('task_a', 'lab')
    await addTask('task_b', 'lab')
    await addTask('task_c', 'lab', 'paused')
    await addTask('task_d', 'lab', 'completed')
    await addTask('task_e', 'main')
    await addRun('run_a', 'task_a', 'lab', 'queued')
    await addRun('run_b', 'task_b', 'lab', 'running')
    await addRun('run_d', 'task_d', 'lab', 'waiting')
    await addRun('run_e', 'task_e', 'main', 'queued')
    await write(main)
    wakes = []
    for (let time = 0; time < 3; time += 1) expect(await registry.reload()).toBe('changed')
    expect(registry.byFolder('lab')).toBeUndefined()

    const tasks = await foundation.store.db
      .selectFrom('tasks')
      .select(['id', 'status', 'pause_reason', 'next_fire', 'due_at'])
      .orderBy('id')
      .execute()
    const paused = { status: 'paused', pause_reason: 'group_removed', next_fire: null, due_at: null }
    expect(tasks).toEqual([
      { id: 'task_a', ...paused },
      { id: 'task_b', ...paused },
      { id: 'task_c', ...paused, pause_reason: null },
      { id: 'task_d', ...paused, status: 'completed', pause_reason: null },
      { id: 'task_e', status: 'active', pause_reason: null, next_fire: 5, due_at: 5 },
    ])
    expect(closed.map(({ taskId }) => taskId).sort()).toEqual(['task_a', 'task_d'])
    expect(closed[0]!.why).toEqual({ text: 'The group was removed before this run had started.', running: false })
    expect(posted).toEqual([
      {
        group: 'main',
        depth: 0,
        priority: 'notify',
        text: 'The group Lab (lab) was removed from the groups file; its 2 tasks are paused.',
        isNotice: true,
      },
    ])
    expect(wakes.slice(0, 2)).toEqual(['scheduling', 'outbox'])
    expect((await activity('task_paused')).map(({ task_id }) => task_id).sort()).toEqual(['task_a', 'task_b'])
    expect((await activity('group_changed')).map(({ summary }) => summary)).toEqual([
      'The group Main was registered with the tag main.',
      'The group Lab was registered with the tag lab.',
      'The group Lab (lab) was removed from the groups file; its 2 tasks are paused.',
    ])
    expect(await rows()).toContainEqual({
      folder: 'lab',
      tag: null,
      name: 'Lab',
      is_admin: 0,
      removed_at: foundation.clock.now(),
    })
  })

  it('that were removed while nobody ran are noticed at the start', async () => {
    await start(main, lab)
    await addTask('task_a', 'lab')
    await start(main)
    expect(posted.map(({ text }) => text)).toEqual([
      'The group Lab (lab) was removed from the groups file; its task is paused.',
    ])
    await start(main)
    expect(posted).toHaveLength(1)
  })

  it('that come back are the same again, and their tasks wait for somebody to resume them', async () => {
    const registry = await start(main, lab)
    await addTask('task_a', 'lab')
    await write(main)
    await registry.reload()
    await write(main, { ...lab, tag: 'science' })
    await registry.reload()
    expect(registry.byTag('science')?.folder).toBe('lab')
    expect(await rows()).toContainEqual({ folder: 'lab', tag: 'science', name: 'Lab', is_admin: 0, removed_at: null })
    const task = await foundation.store.db.selectFrom('tasks').select(['status', 'pause_reason']).executeTakeFirst()
    expect(task).toEqual({ status: 'paused', pause_reason: 'group_removed' })
    expect((await activity('group_changed')).at(-1)?.summary).toBe(
      'The group Lab with the tag science is back; its tasks stay paused until they are resumed.',
    )
  })

  it('may swap tags, take one that became free, and hand on the flag of the admin', async () => {
    const web = { folder: 'web', tag: 'web', name: 'Web' }
    const registry = await start(main, lab, web)
    await write({ ...main, admin: false, tag: 'lab' }, { ...lab, tag: 'main', admin: true }, { ...web, folder: 'new' })
    expect(await registry.reload()).toBe('changed')
    expect(registry.admin.folder).toBe('lab')
    expect(await rows()).toMatchObject([
      { folder: 'lab', tag: 'main', is_admin: 1 },
      { folder: 'main', tag: 'lab', is_admin: 0 },
      { folder: 'new', tag: 'web', is_admin: 0 },
      { folder: 'web', tag: null, removed_at: foundation.clock.now() },
    ])
    expect(posted[0]?.group).toBe('lab')
  })

  it('change nothing in part: a notice that cannot be stored stops all of it', async () => {
    const registry = await start(main, lab)
    await addTask('task_a', 'lab')
    await write(main)
    const post = () => Promise.reject(new Error('no room'))
    await registry.start({ ...effects(), messages: { post } })
    expect(await registry.reload()).toBe('kept')
    expect(registry.byFolder('lab')).toBeDefined()
    const task = await foundation.store.db.selectFrom('tasks').select('status').executeTakeFirst()
    expect(task).toEqual({ status: 'active' })
  })

  it('are read once for each signal, in order', async () => {
    const registry = await start(main)
    await write(main, lab)
    expect(await Promise.all([registry.reload(), registry.reload(), registry.reload()])).toEqual(
      Array(3).fill('changed'),
    )
    expect((await activity('group_changed')).filter(({ group_folder }) => group_folder === 'lab')).toHaveLength(1)
  })
})
