import { expect, it } from 'vitest'
import { forumAgent } from './support/forum-agent.js'
import { adminOf, ForumInstallation, forumServer } from './support/forum-installation.js'

const password = 'correct-horse-battery-9'

it('no key is in anything that the installation says, however much it logs and however a forum shows it', async () => {
  const server = await forumServer({ basicAuth: { user: 'gate', password } })
  const pair = { ...adminOf(server), http_basic_user: 'gate', http_basic_pass: password }
  const installation = new ForumInstallation({ variables: { CALLBOARD_LOG_LEVEL: 'debug' } })
  await installation.hub()
  const worker = await installation.forum([
    ...['--auth_pairs', JSON.stringify([pair]), '--log_level', 'debug'],
    ...['--allow_writes', '--read_only=false'],
  ])
  const agent = await forumAgent(installation, 'legacy', 'ada')
  await agent.select(server.base)
  const { id } = server.forum.addTopic({ title: 'A place to write', username: 'mayor', raw: 'Write here, please.' })
  const answers: unknown[] = []
  for (const status of [200, 403, 404, 422, 500]) {
    server.fault({ on: /posts/, kind: 'echo', status, times: Number.POSITIVE_INFINITY })
    answers.push(
      await agent.call('discourse_create_post', { topic_id: id, raw: `Shown with ${status}, or so it seems.` }),
    )
    answers.push(await agent.call('discourse_read_post', { post_id: 1 }))
    server.clearFaults()
  }
  server.fault({ on: /groups/, kind: 'echo', status: 500, times: Number.POSITIVE_INFINITY })
  const unread = await agent.readError('discourse://site/groups')
  const newUser = { username: 'zoe', email: 'zoe@example.org', name: 'Zoe', password: 'a password of hers' }
  server.fault({ on: /users/, kind: 'status', status: 422, json: { errors: ['a password of hers is too plain'] } })
  answers.push(await agent.call('discourse_create_user', newUser))
  const outputs = await Promise.all(
    [['ls', '--json'], ['ls'], ['doctor'], ['doctor', '--json']].map((words) => installation.run(words)),
  )
  const everything = [
    worker.said(),
    JSON.stringify(answers),
    JSON.stringify([unread.message, unread.data]),
    ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
  ]
  const { key } = server.keys.admin
  const basic = Buffer.from(`gate:${password}`).toString('base64')
  expect(server.seen(/posts/).some(({ headers }) => headers['api-key'] === key)).toBe(true)
  for (const text of everything) {
    for (const secret of [key.slice(0, 8), key.slice(-8), password, basic, 'a password of hers']) {
      expect(text).not.toContain(secret)
    }
  }
  expect(everything[1]).toContain('upstream_error')
}, 120_000)
