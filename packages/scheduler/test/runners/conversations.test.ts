import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { Conversations } from '../../src/runners/conversations.js'
import { openTestFoundation } from '../support/test-foundation.js'
import { labGroup } from './support/run-request.js'

const command = (...argv: readonly string[]) =>
  ({ kind: 'command', argv, sessionArgs: [], promptVia: 'stdin' }) as const

describeBothDatabases('conversations', (database) => {
  const open = async () => {
    const foundation = await openTestFoundation({ location: await database.create() })
    const conversations = new Conversations(foundation.store, foundation.clock)
    return { foundation, conversations, [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose]() }
  }

  it('keep the last session of a group', async () => {
    await using bench = await open()
    const group = labGroup(command('claude', '-p'))
    expect(await bench.conversations.sessionOf(group)).toBeUndefined()
    await bench.conversations.saveSession(group, 'first')
    await bench.conversations.saveSession(group, 'second')
    expect(await bench.conversations.sessionOf(group)).toBe('second')
    expect(await bench.conversations.sessionOf({ ...group, folder: 'main' })).toBeUndefined()
  })

  it('give no program the session of another one, but its own with other options', async () => {
    await using bench = await open()
    await bench.conversations.saveSession(labGroup(command('opencode', 'run', '--model', 'a')), 's')
    const sessionOf = (...argv: string[]) => bench.conversations.sessionOf(labGroup(command(...argv)))
    expect(await sessionOf('opencode', 'run', '--model', 'b')).toBe('s')
    expect(await sessionOf('claude', '-p')).toBeUndefined()
    expect(await sessionOf('opencode', 'serve')).toBeUndefined()
  })

  it('show the last 40 turns, from a question on', async () => {
    await using bench = await open()
    const group = labGroup()
    for (let n = 0; n < 30; n += 1) {
      await bench.conversations.appendTurns(group, [
        { role: 'user', content: `question ${n}` },
        { role: 'assistant', content: `answer ${n}` },
      ])
    }
    const turns = await bench.conversations.conversationOf(group)
    expect(turns).toHaveLength(40)
    expect(turns[0]).toEqual({ role: 'user', content: 'question 10' })
    expect(turns.at(-1)).toEqual({ role: 'assistant', content: 'answer 29' })
    expect(await bench.conversations.conversationOf({ ...group, folder: 'main' })).toEqual([])
  })

  it('show at most 100,000 characters, whole turns only', async () => {
    await using bench = await open()
    const group = labGroup()
    const exchange = (length: number) =>
      bench.conversations.appendTurns(group, [
        { role: 'user', content: 'q'.repeat(length) },
        { role: 'assistant', content: 'a'.repeat(length) },
      ])
    for (let n = 0; n < 3; n += 1) await exchange(20_000)
    // 100,000 would be five turns, of which the first is an answer.
    expect(await bench.conversations.conversationOf(group)).toHaveLength(4)
    await exchange(60_000)
    expect(await bench.conversations.conversationOf(group)).toEqual([])
  })

  it('keep the last 200 turns of a group, and any text', async () => {
    await using bench = await open()
    const turns = Array.from({ length: 150 }, (_, n) => ({ role: 'user' as const, content: `${n}` }))
    await bench.conversations.appendTurns(labGroup(), turns)
    await bench.conversations.appendTurns({ ...labGroup(), folder: 'main' }, turns)
    await bench.conversations.appendTurns(labGroup(), [...turns.slice(1), { role: 'user', content: 'a\0b\ud800' }])
    const rows = await bench.foundation.store.db
      .selectFrom('turns')
      .select(['group_folder', 'content'])
      .orderBy('id')
      .execute()
    const ofLab = rows.filter((row) => row.group_folder === 'lab').map(({ content }) => content)
    expect(ofLab).toHaveLength(200)
    expect([ofLab[0], ofLab.at(-1)]).toEqual(['100', 'a\ufffdb\ufffd'])
    expect(rows.filter((row) => row.group_folder === 'main')).toHaveLength(150)
  })
})
