import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { suggestionRowsPerInsert } from '../../src/limits.js'
import {
  findSuggestion,
  listSuggestions,
  type MirroredSuggestion,
  mirrorSuggestions,
  type SuggestionQuery,
} from '../../src/records/suggestions.js'
import { openTestStore } from '../support/test-store.js'

/** The `n`th one, made in the second `n`. */
function suggestion(n: number, more: Partial<MirroredSuggestion> = {}): MirroredSuggestion {
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  return {
    id,
    kind: 'codings',
    tool: 'suggest_codings',
    actor: 'agent:main',
    status: 'pending',
    createdAt: n * 1_000,
    record: { id, rationale: `Reason ${n}` },
    ...more,
  }
}

const here = '/home/ada/Interviews.qda'
const there = '/home/ada/Field.qda'

describeBothDatabases('suggestions of all projects', ({ create }) => {
  async function open() {
    const store = await openTestStore(await create())
    return {
      store,
      mirror: (path: string, suggestions: readonly MirroredSuggestion[]) =>
        store.transaction((transaction) => mirrorSuggestions(transaction, path, suggestions)),
      list: (query: Partial<SuggestionQuery> = {}) => listSuggestions(store.db, { limit: 100, ...query }),
      find: (id: string) => findSuggestion(store.db, id),
      [Symbol.asyncDispose]: () => store.close(),
    }
  }

  it('are found by their ids, with all that their project says of them', async () => {
    await using queue = await open()
    const record = { payload: { quote: 'a\0b\ud800', codes: [1, 2] }, reason: null }
    await queue.mirror(here, [suggestion(1, { record }), suggestion(2)])
    expect(await queue.find(suggestion(1).id)).toEqual({ ...suggestion(1, { record }), projectPath: here })
    expect(await queue.find(suggestion(3).id)).toBeUndefined()
    expect(await queue.find(`${suggestion(1).id}\0${'x'.repeat(1_000)}`)).toBeUndefined()
  })

  it('are replaced project by project', async () => {
    await using queue = await open()
    await queue.mirror(here, [suggestion(1), suggestion(2)])
    await queue.mirror(there, [suggestion(3)])
    await queue.mirror(here, [suggestion(2, { status: 'approved' })])
    expect((await queue.list()).suggestions).toEqual([
      { ...suggestion(2, { status: 'approved' }), projectPath: here },
      { ...suggestion(3), projectPath: there },
    ])
    await queue.mirror(here, [])
    expect((await queue.list()).suggestions.map(({ id }) => id)).toEqual([suggestion(3).id])
  })

  it('go along with their project when it moves', async () => {
    await using queue = await open()
    await queue.mirror(here, [suggestion(1), suggestion(2)])
    await queue.mirror(there, [suggestion(1, { actor: 'agent:eve' }), suggestion(2)])
    const { totalCount, suggestions } = await queue.list()
    expect(totalCount).toBe(2)
    expect(suggestions[0]).toEqual({ ...suggestion(1, { actor: 'agent:eve' }), projectPath: there })
    expect(suggestions[1]).toMatchObject({ projectPath: there })
  })

  it('can be more than one statement takes, and of any path', async () => {
    await using queue = await open()
    const count = 2 * suggestionRowsPerInsert + 1
    const path = '/a\ud800\0.qda'
    await queue.mirror(
      path,
      Array.from({ length: count }, (_, index) => suggestion(index)),
    )
    expect(await queue.list({ projectPath: path, limit: 1 })).toMatchObject({
      totalCount: count,
      suggestions: [{ projectPath: '/a\ufffd\ufffd.qda' }],
    })
  })

  it('are listed by status and project, the oldest first', async () => {
    await using queue = await open()
    await queue.mirror(here, [suggestion(3), suggestion(1), suggestion(2, { status: 'stale' })])
    await queue.mirror(there, [suggestion(4), suggestion(0)])
    const idsOf = async (query: Partial<SuggestionQuery>) =>
      (await queue.list(query)).suggestions.map(({ createdAt }) => createdAt / 1_000)
    expect(await idsOf({})).toEqual([0, 1, 2, 3, 4])
    expect(await idsOf({ status: 'pending' })).toEqual([0, 1, 3, 4])
    expect(await idsOf({ projectPath: here })).toEqual([1, 2, 3])
    expect(await idsOf({ status: 'pending', projectPath: there })).toEqual([0, 4])
    expect(await idsOf({ status: 'rejected' })).toEqual([])
    expect(await queue.list({ projectPath: '/nowhere' })).toEqual({ totalCount: 0, suggestions: [] })
  })

  it('come in pages that neither repeat nor skip one, whatever is decided between them', async () => {
    await using queue = await open()
    const all = [1, 2, 3, 4, 5].map((n) => suggestion(n, { createdAt: n < 4 ? 7 : 8 }))
    await queue.mirror(here, [...all].reverse())
    const first = await queue.list({ status: 'pending', limit: 2 })
    expect(first).toMatchObject({ totalCount: 5, suggestions: [{ id: all[0]!.id }, { id: all[1]!.id }] })
    await queue.mirror(
      here,
      all.map((each, index) => (index < 2 ? { ...each, status: 'approved' } : each)),
    )
    const second = await queue.list({ status: 'pending', limit: 2, cursor: first.nextCursor })
    expect(second).toMatchObject({ totalCount: 3, suggestions: [{ id: all[2]!.id }, { id: all[3]!.id }] })
    const third = await queue.list({ status: 'pending', limit: 2, cursor: second.nextCursor })
    expect(third.suggestions.map(({ id }) => id)).toEqual([all[4]!.id])
    expect(third.nextCursor).toBeUndefined()
  })

  it.each(['', 'x', '!', Buffer.from('9'.repeat(16)).toString('base64url'), Buffer.from('1.\0').toString('base64url')])(
    'a cursor that was never given out is refused: %j',
    async (cursor) => {
      await using queue = await open()
      await expect(queue.list({ cursor })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    },
  )
})
