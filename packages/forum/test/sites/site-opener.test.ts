import { VirtualClock } from '@callboard/worker/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { ForumConfig } from '../../src/config/forum-config.js'
import { parseForumConfig } from '../../src/config.js'
import { type ForumServer, type ForumServerOptions, startForumServer } from '../../src/demo/index.js'
import { ForumFailure } from '../../src/failure/forum-failure.js'
import { SecretRedactor } from '../../src/secrets/secret-redactor.js'
import { SiteOpener } from '../../src/sites/site-opener.js'
import { plainClient } from '../support/plain-client.js'
import { silentLog } from '../support/test-store.js'

async function server(options: ForumServerOptions = {}): Promise<ForumServer> {
  const started = await startForumServer({ village: false, ...options })
  onTestFinished(() => started.close())
  return started
}

const clock = new VirtualClock()
const scope = () => ({ deadline: clock.now() + 60_000, signal: new AbortController().signal })

function openerWith(section: object): SiteOpener {
  const config: ForumConfig = parseForumConfig(section)
  return new SiteOpener({ config, log: silentLog, redactor: new SecretRedactor([]), clients: { for: plainClient } })
}

const selected = async (opener: SiteOpener, address: string) => {
  const { base, title } = await opener.open(address, scope())
  return { base, title }
}

const refusal = async (opener: SiteOpener, address: string) => {
  const error = await opener.open(address, scope()).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ForumFailure)) throw new Error('it was not refused', { cause: error })
  return error
}

test('an address is taken without what comes after the path, and with its host in lower case', async () => {
  const forum = await server({ title: 'Mill', basePath: '/forumA' })
  const address = `${forum.base.replace('127.0.0.1', 'LOCALHOST')}/?q=1#top`
  expect(await selected(openerWith({}), address)).toEqual({
    base: forum.base.replace('127.0.0.1', 'localhost'),
    title: 'Mill',
  })
})

test('a link into a forum stands for the forum at its origin', async () => {
  const forum = await server({ title: 'Mill' })
  expect(await selected(openerWith({}), `${forum.base}/t/bees/18`)).toEqual({ base: forum.base, title: 'Mill' })
})

test('where only some may be selected, a link into one of them stands for it', async () => {
  const forum = await server({ title: 'Mill', basePath: '/forumA' })
  const opener = openerWith({ allowed_sites: [forum.base] })
  expect(await selected(opener, `${forum.base}/t/bees/18`)).toEqual({ base: forum.base, title: 'Mill' })
})

test.each(['/forumB', '/forumAB', '', '/forumA/..%2F'])('others are refused without a request: %s', async (path) => {
  const forum = await server({ basePath: '/forumA' })
  const opener = openerWith({ allowed_sites: [forum.base] })
  const { code } = await refusal(opener, `${forum.origin}${path}`)
  expect(['forbidden', 'invalid_arguments']).toContain(code)
  expect(forum.requests).toEqual([])
})

test('where only some may be selected, one that is not there leads nowhere else', async () => {
  const forum = await server()
  const opener = openerWith({ allowed_sites: [`${forum.base}/forumA`] })
  expect(await refusal(opener, `${forum.base}/forumA`)).toMatchObject({ code: 'not_found' })
  expect(forum.requests.map(({ path }) => path)).toEqual(['/forumA/about.json'])
})

test.each([[{}], [{ about: 'us' }], [[]], [null], ['a forum']])('what answers %j is no forum', async (json) => {
  const forum = await server()
  forum.fault({ on: /about/, kind: 'status', status: 200, json })
  expect(await refusal(openerWith({}), forum.base)).toMatchObject({
    code: 'unexpected_response',
    details: { hint: expect.stringContaining('Give the address of the forum itself') },
  })
})

test('a forum that is about something, but has no title, is called by its address', async () => {
  const forum = await server()
  forum.fault({ on: /about/, kind: 'status', status: 200, json: { about: {} } })
  expect(await selected(openerWith({}), forum.base)).toEqual({ base: forum.base, title: forum.base })
})

test('a title without end is cut', async () => {
  const forum = await server({ title: 'A'.repeat(100_000) })
  expect((await selected(openerWith({}), forum.base)).title).toHaveLength(300)
})
