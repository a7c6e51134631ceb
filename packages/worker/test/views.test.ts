import { ownToolsMax, viewBytesMax, viewNamesLengthMax } from '@callboard/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineWorker, sessionTool, type View } from '../src/index.js'
import { connectForTest, type TestLink, textOf } from '../src/testing/index.js'

const anything = { description: 'x', input: z.object({}) }

let open: TestLink | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

function forum() {
  return defineWorker({ service: 'forum', version: '1.0.0' })
    .tool('search', anything, () => 'searched')
    .tool('post', { ...anything, listed: false }, () => 'posted')
    .tool('approve', { ...anything, roles: ['operator'] }, () => 'approved')
}

async function connect(worker = forum()) {
  open = await connectForTest(worker)
  const names = (session: string, ...more: [roles?: readonly ('agent' | 'operator')[]]) =>
    open!.toolsOf(session, ...more).map(({ name }) => name)
  return { worker, link: open, names }
}

const bug = (site: string) =>
  sessionTool(
    'file_bug',
    { description: `of ${site}`, input: z.object({ title: z.string() }), timeoutMs: 500, meta: { site } },
    ({ title }, { deadline, caller }) => ({ site, title, session: caller.session, deadline }),
  )

describe('a view', () => {
  test('shows and hides what the worker has', async () => {
    const { worker, link, names } = await connect()
    expect(names('s')).toEqual(['search'])
    worker.setView('s', {
      show: { tools: ['post'] },
      hide: { tools: ['search'], prompts: ['p'], resources: ['a://b'] },
    })
    expect(names('s')).toEqual(['post'])
    expect(names('s', ['operator'])).toEqual(['post', 'approve'])
    expect(names('another')).toEqual(['search'])
    expect(link.viewOf('s')).toEqual({
      hiddenTools: ['search'],
      hiddenPrompts: ['p'],
      hiddenResources: ['a://b'],
      shownTools: ['post'],
    })
    worker.setView('s', {})
    expect([names('s'), link.viewOf('s')]).toEqual([['search'], {}])
  })

  test('leaves what it does not show to be called, and answered by the same handler', async () => {
    const { link } = await connect()
    expect(textOf(await link.callTool('post'))).toBe('posted')
  })

  test('marks what is listed only where it is shown, for the hub and not for agents', async () => {
    const { worker, link } = await connect()
    expect(link.definitions.tools?.[1]?._meta).toEqual({ 'callboard/listed': false })
    worker.setView('s', { show: { tools: ['post'] } })
    expect(link.toolsOf('s')[1]).not.toHaveProperty('_meta')
  })

  test('is sent again after each sign-in, and with {} when it was taken back meanwhile [CB-26]', async () => {
    const { worker, link } = await connect()
    for (const session of ['kept', 'ended']) worker.setView(session, { show: { tools: ['post'] } })
    await link.closeSession('ended')
    await link.reconnect({ sessions: ['kept'] })
    expect(link.viewOf('kept')).toEqual({ shownTools: ['post'] })
    expect(link.viewOf('ended')).toBeUndefined()
    const back = link.reconnect()
    worker.setView('kept', {})
    await back
    expect(link.viewOf('kept')).toEqual({})
  })

  test('does nothing while the worker does not run', () => {
    expect(() => forum().setView('s', { show: { tools: ['post'] } })).not.toThrow()
  })
})

describe('a tool of its own [CB-28]', () => {
  test('is the one that its session lists and calls, in the place of the one that all have', async () => {
    const { worker, link, names } = await connect()
    const search = sessionTool('search', { description: 'own', input: z.object({}) }, () => 'searched here')
    worker.setView('north', { tools: [bug('north'), search] })
    worker.setView('south', { tools: [bug('south')] })
    expect([names('north'), names('south'), names('other')]).toEqual([
      ['search', 'file_bug'],
      ['search', 'file_bug'],
      ['search'],
    ])
    expect(link.toolsOf('south')[1]).toMatchObject({ description: 'of south', _meta: { site: 'south' } })
    for (const session of ['north', 'south']) {
      const { structuredContent } = await link.callTool('file_bug', { title: 't' }, { session })
      expect(structuredContent).toMatchObject({ site: session, title: 't', session })
    }
    expect(textOf(await link.callTool('search', {}, { session: 'north' }))).toBe('searched here')
    expect(textOf(await link.callTool('search', {}, { session: 'south' }))).toBe('searched')
    await expect(link.callTool('file_bug', { title: 't' })).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown tool: file_bug',
    })
  })

  test('has its input checked and its own time', async () => {
    const { worker, link } = await connect()
    worker.setView('s', { tools: [bug('north')] })
    const refused = await link.callTool('file_bug', { title: 7 }, { session: 's' })
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('title')])
    const before = Date.now()
    const answer = await link.callTool<{ deadline: number }>('file_bug', { title: 't' }, { session: 's' })
    expect(answer.structuredContent!.deadline - before).toBeLessThan(10_000)
  })

  test('is gone with another view, and with its session', async () => {
    const { worker, link } = await connect()
    const call = (session: string) => link.callTool('file_bug', { title: 't' }, { session })
    for (const session of ['one', 'two']) worker.setView(session, { tools: [bug('north')] })
    worker.setView('one', { show: { tools: ['post'] } })
    await expect(call('one')).rejects.toThrow('Unknown tool')
    await link.closeSession('two')
    await expect(call('two')).rejects.toThrow('Unknown tool')
  })

  test('survives the loss of the connection', async () => {
    const { worker, link } = await connect()
    worker.setView('s', { tools: [bug('north')] })
    await link.reconnect({ sessions: ['s'] })
    expect(link.viewOf('s')?.tools).toEqual([bug('north').definition])
    expect((await link.callTool('file_bug', { title: 't' }, { session: 's' })).isError).toBeUndefined()
  })

  test('is refused like any other when its spec is wrong, and when it is not listed', () => {
    expect(() => sessionTool('a b', anything, () => 1)).toThrow(TypeError)
    expect(() => sessionTool('a', { ...anything, listed: false }, () => 1)).toThrow("a session's own tool always is")
    expect(() => forum().tool('a', { ...anything, listed: 'no' as never }, () => 1)).toThrow('must be true or false')
  })
})

describe('a view that no hub would take is a TypeError', () => {
  const many = (count: number, description = 'x') =>
    Array.from({ length: count }, (_, index) => sessionTool(`t${index}`, { ...anything, description }, () => 1))

  test.each([
    ['an unknown key', { shown: {} }, 'unknown option "shown" (did you mean show?)'],
    ['a kind that can not be shown', { show: { prompts: ['a'] } }, 'setView: show: unknown option "prompts"'],
    ['names that are none', { hide: { tools: ['a', 7] } }, 'hide.tools: must be a list of names'],
    ['a tool that sessionTool() has not made', { tools: [{ name: 'a' }] }, 'what sessionTool() returns'],
    ['two of one name', { tools: [...many(1), ...many(1)] }, 't0 is there twice'],
    ['too many tools', { tools: many(ownToolsMax + 1) }, `at most ${ownToolsMax}`],
    ['too many names', { show: { tools: ['x'.repeat(viewNamesLengthMax), 'y'] } }, `at most ${viewNamesLengthMax}`],
    ['too many bytes', { tools: many(20, 'x'.repeat(60_000)) }, `the hub takes ${viewBytesMax}`],
  ])('%s', async (_, view, message) => {
    const { worker, link } = await connect()
    const set = () => worker.setView('s', view as View)
    expect(set).toThrow(TypeError)
    expect(set).toThrow(message)
    expect(link.viewOf('s')).toBeUndefined()
  })

  test('of no session', async () => {
    const { worker } = await connect()
    expect(() => worker.setView('', {})).toThrow(TypeError)
  })
})
