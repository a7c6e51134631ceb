import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestLink, VirtualClock } from '@callboard/worker/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ForumFailure } from '../../src/failure/forum-failure.js'
import { anonymous, type Credential } from '../../src/http/credential.js'
import { allResources } from '../../src/resources/all-resources.js'
import { type ResourceParts, serveResource } from '../../src/resources/serve-resource.js'
import { keyCredential, testCall } from '../support/test-call.js'
import { silentLog } from '../support/test-store.js'

let server: ForumServer
let link: TestLink
let credential: Credential | undefined

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
  credential = anonymous
  const worker = defineWorker({ service: 'forum', version: '1.0.0' })
  for (const resource of allResources) serveResource(worker, resource, parts() as unknown as ResourceParts)
  link = await connectForTest(worker)
})

afterEach(async () => {
  await link.close()
  await server.close()
})

function parts() {
  return {
    clock: new VirtualClock(),
    log: silentLog,
    redactor: { value: <Value>(value: Value) => value },
    desk: {
      listsWritesForAll: false,
      selectionFor: async () => {
        if (credential === undefined) throw new ForumFailure('no_site_selected', 'No site selected.')
        return testCall(server.base, { credential }).selection
      },
    },
  }
}

const uris = [
  'discourse://site/categories',
  'discourse://site/tags',
  'discourse://site/groups',
  'discourse://chat/channels',
  'discourse://user/chat-channels',
  'discourse://user/drafts',
]

it('lists six resources', () => {
  expect(link.definitions.resources?.map(({ uri, mimeType }) => [uri, mimeType])).toEqual(
    uris.map((uri) => [uri, 'application/json']),
  )
})

it.each(uris)('reads %s as JSON', async (uri) => {
  credential = keyCredential(server.keys.user('ada'))
  const [contents] = await link.readResource(uri)
  expect(contents).toMatchObject({ uri, mimeType: 'application/json' })
  const document = JSON.parse((contents as { text: string }).text)
  const lists = Object.values(document).filter(Array.isArray)
  expect(document.meta.total).toBe(lists.flat().length)
})

it.each(['discourse://user/drafts', 'discourse://user/chat-channels'])(
  'asks for nothing as nobody: %s',
  async (uri) => {
    await expect(link.readResource(uri)).rejects.toMatchObject({
      code: -32_603,
      data: { code: 'not_authenticated', uri, hint: expect.stringContaining('auth_pairs') },
    })
    expect(server.requests).toEqual([])
  },
)

it.each([
  ['discourse://site/categories', /site\.json/],
  ['discourse://site/tags', /tags/],
  ['discourse://site/groups', /groups/],
  ['discourse://chat/channels', /chat/],
  ['discourse://user/chat-channels', /chat/],
  ['discourse://user/drafts', /drafts/],
])('answers a refusal of %s with an error, never with an empty list', async (uri, on) => {
  credential = keyCredential(server.keys.user('ada'))
  const json = { errors: ['You are not permitted to view the requested resource.'], error_type: 'invalid_access' }
  server.fault({ on, kind: 'status', status: 403, json })
  await expect(link.readResource(uri)).rejects.toMatchObject({
    code: -32_603,
    data: { code: 'forbidden', status: 403, errors: json.errors, error_type: 'invalid_access', uri },
  })
})

it('says of what is missing which it is', async () => {
  server.setting.chat = false
  const uri = 'discourse://chat/channels'
  await expect(link.readResource(uri)).rejects.toMatchObject({ code: -32_602, data: { uri, code: 'not_found' } })
  const unknown = 'discourse://site/weather'
  await expect(link.readResource(unknown)).rejects.toMatchObject({ code: -32_602, data: { uri: unknown } })
})

it('says that no forum is selected', async () => {
  credential = undefined
  const uri = 'discourse://site/tags'
  await expect(link.readResource(uri)).rejects.toMatchObject({
    code: -32_603,
    data: { error: 'No site selected.', code: 'no_site_selected', uri },
  })
})
