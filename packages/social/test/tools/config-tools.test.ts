import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { getConfigTool } from '../../src/tools/get-config-tool.js'
import { validateConfigTool } from '../../src/tools/validate-config-tool.js'
import { serveForTest } from '../support/call-tool.js'
import { openTestFoundation } from '../support/test-foundation.js'

async function serve(section: object, dataDirectory = '/nowhere', given: unknown = section) {
  const foundation = await openTestFoundation({ config: section })
  const tools = [getConfigTool(foundation), validateConfigTool({ section: given, dataDirectory })]
  const { call, link } = await serveForTest(tools, foundation)
  onTestFinished(async () => {
    await link[Symbol.asyncDispose]()
    await foundation[Symbol.asyncDispose]()
  })
  return call
}

const section = {
  mode: 'composer',
  approval_mode: false,
  business: {
    product_name: 'Spoon',
    product_keywords: ['cutlery', 'fork'],
    product_url: 'https://spoon.example/?ref=1',
  },
  bluesky: { enabled: true, handle: 'ada.example', app_password: 's3cret-1' },
  llm: { provider: 'openai', model: 'm', api_key: 's3cret-2' },
}

it('get_config shows the whole configuration without secrets', async () => {
  const call = await serve(section)
  const { data, meta } = await call('get_config')
  expect(data).toMatchObject({
    mode: 'composer',
    default_network: 'bluesky',
    networks: ['bluesky'],
    is_default_profile: false,
    business: { product_keywords: ['cutlery', 'fork'], product_url: 'https://spoon.example/' },
    bluesky: { handle: 'ada.example', app_password: '[redacted]', pds_url: 'https://bsky.social' },
    llm: { model: 'm', api_key: '[redacted]' },
    limits: { max_replies_per_day: 5 },
  })
  expect(data.mastodon).not.toHaveProperty('access_token')
  expect(JSON.stringify(data)).not.toContain('s3cret')
  // Composer mode asks for approval, whatever the key says.
  expect([data.approval_mode, meta.approval_mode]).toEqual([true, true])
})

it('get_config says when nobody has said who they are', async () => {
  const { data } = await (await serve({}))('get_config')
  expect(data).toMatchObject({
    is_default_profile: true,
    default_network: 'local',
    business: { product_name: 'Callboard' },
  })
})

it('validate_config finds nothing wrong where nothing is', async () => {
  expect((await (await serve(section))('validate_config')).data).toEqual({ valid: true, errors: [] })
})

it('validate_config names what has gone since the start, all of it', async () => {
  const data = await mkdtemp(join(tmpdir(), 'callboard-config-'))
  onTestFinished(() => rm(data, { recursive: true }))
  await writeFile(join(data, 'key'), 's3cret', { mode: 0o600 })
  const given = {
    llm: { provider: 'openai', model: 'm', api_key_file: 'key' },
    media: { roots: [data, join(data, 'key'), join(data, 'gone')] },
  }
  const call = await serve(given, data)
  const roots = [
    `social.media.roots[1]: ${data}/key is no directory`,
    `social.media.roots[2]: ${data}/gone is not there`,
  ]
  expect((await call('validate_config')).data).toEqual({ valid: false, errors: roots })
  await chmod(join(data, 'key'), 0o644)
  expect((await call('validate_config')).data.errors).toEqual([
    expect.stringMatching(/^social\.llm\.api_key_file: .* run chmod 600 /),
    ...roots,
  ])
})

it('validate_config answers for any section', async () => {
  const call = await serve({}, '/nowhere', { mode: 7, llm: { provider: 'groq' } })
  expect((await call('validate_config')).data).toEqual({
    valid: false,
    errors: [
      expect.stringMatching(/^social\.mode: /),
      expect.stringMatching(/^social\.llm\.model: /),
      expect.stringMatching(/^social\.llm\.api_key: /),
    ],
  })
})
