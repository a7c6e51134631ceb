import { randomBytes } from 'node:crypto'
import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { knownProjectsMax } from '../../src/limits.js'
import { knownProjects, projectKey, rememberProject } from '../../src/records/projects.js'
import { openTestStore } from '../support/test-store.js'

describeBothDatabases('projects that were opened', ({ create }) => {
  it('the last opened one comes first, and each once, as it was last', async () => {
    await using store = await openTestStore(await create())
    const [interviews, field] = [
      { path: '/home/ada/Interviews.qda', uid: 'u1', name: 'Interviews' },
      { path: '/home/ada/Field.qda', uid: 'u2', name: 'Field' },
    ]
    await rememberProject(store.db, interviews, 1_000)
    await rememberProject(store.db, field, 2_000)
    expect(await knownProjects(store.db)).toEqual([field, interviews])
    await rememberProject(store.db, { ...interviews, uid: 'u3' }, 3_000)
    expect(await knownProjects(store.db)).toEqual([{ ...interviews, uid: 'u3' }, field])
  })

  it('any path that a system takes can be kept, also one that no database can hold', async () => {
    await using store = await openTestStore(await create())
    // An index of PostgreSQL takes no such row, and can't make it shorter.
    const long = `/${randomBytes(2_000).toString('hex')}`
    await rememberProject(store.db, { path: long, uid: 'u1', name: 'Long' }, 1)
    await rememberProject(store.db, { path: '/a\ud800\0.qda', uid: 'u2\0', name: 'Odd\ud800' }, 2)
    await rememberProject(store.db, { path: '/a\ud800\0.qda', uid: 'u2\0', name: 'Odd\ud800' }, 3)
    expect(await knownProjects(store.db)).toEqual([
      { path: '/a\ufffd\ufffd.qda', uid: 'u2\ufffd', name: 'Odd\ufffd' },
      { path: long, uid: 'u1', name: 'Long' },
    ])
  })

  it('no more are listed than anybody looks through', async () => {
    await using store = await openTestStore(await create())
    const rows = Array.from({ length: knownProjectsMax + 1 }, (_, index) => {
      const path = `/p${index}.qda`
      return { key: projectKey(path), path, uid: `u${index}`, name: `p${index}`, last_opened_at: index }
    })
    await store.db.insertInto('projects').values(rows).execute()
    const known = await knownProjects(store.db)
    expect(known).toHaveLength(knownProjectsMax)
    expect([known[0]!.name, known.at(-1)!.name]).toEqual([`p${knownProjectsMax}`, 'p1'])
  })
})
