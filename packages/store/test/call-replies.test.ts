import { expect, it } from 'vitest'
import {
  type CallIdentity,
  CallReplies,
  type CallRepliesSchema,
  callKey,
  createCallReplies,
  type Migration,
  openStore,
  pruneCallReplies,
  type Store,
} from '../src/index.js'
import { callKeyLengthMax, callReplyMs } from '../src/limits.js'
import { describeBothDatabases, type TestLocation } from '../src/testing/both-databases.js'

interface Schema extends CallRepliesSchema {
  others: { id: number }
}

const migrations: readonly Migration[] = [{ name: '0001_replies', up: createCallReplies }]

function open(location: TestLocation): Promise<Store<Schema>> {
  return openStore<Schema>({ name: 'replies', migrations, durability: 'normal', ...location })
}

const replies = new CallReplies<Schema, { readonly said: string }>(() => new Error('used for something else'))
const call: CallIdentity = { principal: 'agent:ada', tool: 'add_note', key: 'k', argumentsHash: 'a' }
const now = 1_700_000_000_000

describeBothDatabases('the reply of a call', (database) => {
  it('is given to its repeats for a day', async () => {
    await using store = await open(await database.create())
    expect(await replies.find(store.db, call, now)).toBeUndefined()
    await replies.keep(store.db, call, { said: 'done' }, now)
    expect(await replies.find(store.db, call, now + callReplyMs - 1)).toEqual({ said: 'done' })
    expect(await replies.find(store.db, call, now + callReplyMs)).toBeUndefined()
  })

  it('is given to nobody else, for no other tool and no other key', async () => {
    await using store = await open(await database.create())
    await replies.keep(store.db, call, { said: 'done' }, now)
    for (const other of [{ principal: 'agent:bob' }, { tool: 'drop_note' }, { key: 'l' }]) {
      expect(await replies.find(store.db, { ...call, ...other }, now)).toBeUndefined()
    }
  })

  it('is refused to a call with other arguments, as the worker refuses', async () => {
    await using store = await open(await database.create())
    await replies.keep(store.db, call, { said: 'done' }, now)
    const other = { ...call, argumentsHash: 'b' }
    await expect(replies.find(store.db, other, now)).rejects.toThrow('used for something else')
    expect(await replies.find(store.db, other, now + callReplyMs)).toBeUndefined()
  })

  it('takes the place of an older one', async () => {
    await using store = await open(await database.create())
    const later = { ...call, argumentsHash: 'b' }
    await replies.keep(store.db, call, { said: 'done' }, now)
    await replies.keep(store.db, later, { said: 'sent' }, now + callReplyMs)
    expect(await replies.find(store.db, later, now + 2 * callReplyMs - 1)).toEqual({ said: 'sent' })
  })

  it('is kept together with the effect, or not at all', async () => {
    await using store = await open(await database.create())
    const failing = store.transaction(async (transaction) => {
      await replies.keep(transaction, call, { said: 'done' }, now)
      throw new Error('no effect')
    })
    await expect(failing).rejects.toThrow('no effect')
    expect(await replies.find(store.db, call, now)).toBeUndefined()
  })

  it('goes when it is given no more, some at a time', async () => {
    await using store = await open(await database.create())
    for (const key of ['a', 'b', 'c']) await replies.keep(store.db, { ...call, key }, { said: key }, now)
    await replies.keep(store.db, { ...call, key: 'young' }, { said: 'young' }, now + 1)
    expect(await pruneCallReplies(store.db, now + callReplyMs, 2)).toBe(2)
    expect(await pruneCallReplies(store.db, now + callReplyMs, 2)).toBe(1)
    expect(await pruneCallReplies(store.db, now + callReplyMs, 2)).toBe(0)
    expect(await store.db.selectFrom('call_replies').select('key').execute()).toEqual([{ key: 'young' }])
  })

  it('is found under any key that a caller gives', async () => {
    await using store = await open(await database.create())
    const key = callKey(`\0\ud800${'k'.repeat(callKeyLengthMax)}`)
    await replies.keep(store.db, { ...call, key }, { said: 'done' }, now)
    expect(await replies.find(store.db, { ...call, key }, now)).toEqual({ said: 'done' })
  })
})
