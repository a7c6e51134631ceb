import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, forumServer, writing } from './support/forum-installation.js'

async function stage() {
  const server = await forumServer()
  const installation = new ForumInstallation({ config: { ...writing, auth_pairs: [adminOf(server)] } })
  const hub = await installation.hub()
  const worker = await installation.forum()
  const agent = await forumAgent(installation, 'legacy', 'ada')
  await agent.select(server.base)
  await agent.untilTold(1)
  const { id } = server.forum.addTopic({ title: 'A place to write', username: 'mayor', raw: 'Write here, please.' })
  const post = (n: number) => agent.call('discourse_create_post', { topic_id: id, raw: `Spoon number ${n} is carved.` })
  return { server, installation, hub, worker, agent, post }
}

it('drain lets writes finish that wait for their turn, and takes no others', async () => {
  const { server, installation, worker, post } = await stage()
  const ended = once(worker.child, 'exit')
  const writes = [1, 2, 3].map(post)
  await server.arrived(/^POST/)
  expect(await installation.run(['drain', 'forum'])).toMatchObject({ code: 0 })
  expect(await ended).toEqual([0, null])
  for (const { isError, structuredContent } of await Promise.all(writes)) {
    expect({ isError: isError ?? false, outcome: structuredContent?.outcome }).toEqual({
      isError: false,
      outcome: 'done',
    })
  }
  expect(server.seen(/^POST/)).toHaveLength(3)
}, 60_000)

it('drain with little time cancels what waits: it is not sent, and says so', async () => {
  const { server, installation, worker, post } = await stage()
  const ended = once(worker.child, 'exit')
  const writes = [1, 2, 3, 4].map(post)
  await server.arrived(/^POST/)
  expect(await installation.run(['drain', 'forum', '--timeout', '1.2'])).toMatchObject({ code: 0 })
  expect(await ended).toEqual([0, null])
  const answers = await Promise.all(writes)
  const sent = server.seen(/^POST/).length
  expect(sent).toBeLessThan(4)
  expect(answers.filter(({ isError }) => isError !== true)).toHaveLength(sent)
  for (const { content } of answers.filter(({ isError }) => isError)) {
    expect(JSON.parse(content[0].text)).toMatchObject({ code: 'cancelled', outcome: 'rejected' })
  }
}, 60_000)

it.each(['SIGTERM', 'SIGINT'] as const)(
  'after %s nothing leaves when the process has ended',
  async (signal) => {
    const { server, worker, post } = await stage()
    const ended = once(worker.child, 'exit')
    const writes = [1, 2, 3].map(post)
    await server.arrived(/^POST/)
    worker.child.kill(signal)
    expect(await ended).toEqual([0, null])
    const sent = server.seen(/^POST/).length
    const answers = await Promise.all(writes)
    expect(answers.filter(({ isError }) => isError !== true)).toHaveLength(sent)
    expect(server.seen(/^POST/)).toHaveLength(sent)
  },
  90_000,
)

it('a hub that is killed takes no selection with it: the next one lists the same', async () => {
  const { server, installation, hub, agent, post } = await stage()
  const before = await agent.tools()
  const ended = once(hub, 'exit')
  hub.kill('SIGKILL')
  await ended
  await installation.hub()
  // The agent may be back before the worker.
  const sorted = async () => [...(await agent.tools())].sort()
  await vi.waitFor(async () => expect(await sorted()).toEqual([...before].sort()), { timeout: 15_000, interval: 100 })
  expect((await post(1)).structuredContent).toMatchObject({ outcome: 'done' })
  expect(server.seen(/about/)).toHaveLength(1)
}, 60_000)
