import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseSocialConfig, readSecrets, SocialConfigError } from '../../src/config.js'

async function directory(files: Record<string, string> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'callboard-secrets-'))
  onTestFinished(() => rm(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text, { mode: 0o600 })
  return path
}

const section = (bluesky: string, token: string) => ({
  business: { product_name: 'Spoon', product_keywords: ['cutlery'] },
  bluesky: { enabled: true, handle: 'ada.example', app_password_file: bluesky },
  mastodon: { enabled: true, base_url: 'https://example.org', access_token_file: token },
})

async function problemsOf(given: object, dataDirectory: string): Promise<readonly string[]> {
  const error = await readSecrets(parseSocialConfig(given), dataDirectory).catch((refusal: unknown) => refusal)
  if (error instanceof SocialConfigError) return error.problems
  expect(error).not.toBeInstanceOf(Error)
  return []
}

describe('secrets in files', () => {
  it('are read from the data directory on, or from anywhere, without the line end', async () => {
    const [data, elsewhere] = [await directory({ bluesky: ' abcd-efgh\n' }), await directory({ token: 't0ken' })]
    const config = parseSocialConfig(section('bluesky', join(elsewhere, 'token')))
    const whole = await readSecrets(config, data)
    expect(whole.bluesky.app_password).toBe('abcd-efgh')
    expect(whole.mastodon.access_token).toBe('t0ken')
    expect(config.bluesky.app_password).toBeUndefined()
    expect([whole, whole.bluesky].every(Object.isFrozen)).toBe(true)
  })

  it('are refused when others can read them, with what helps', async () => {
    const data = await directory({ bluesky: 's3cret', token: 's3cret' })
    await chmod(join(data, 'bluesky'), 0o640)
    await chmod(join(data, 'token'), 0o604)
    expect(await problemsOf(section('bluesky', 'token'), data)).toEqual([
      `social.bluesky.app_password_file: ${data}/bluesky is open to other users: run chmod 600 ${data}/bluesky`,
      `social.mastodon.access_token_file: ${data}/token is open to other users: run chmod 600 ${data}/token`,
    ])
  })

  it.each([
    ['', /is empty/],
    [' \n', /is empty/],
    ['s3cret\ns3cret', /must hold one word/],
    ['s3crët', /must hold one word/],
    ['s3cret'.repeat(9_999), /has more than 16384 bytes/],
  ])('are refused when there is no secret in them: %j', async (text, words) => {
    const data = await directory({ bluesky: text, token: 't0ken' })
    const problems = await problemsOf(section('bluesky', 'token'), data)
    expect(problems).toEqual([expect.stringMatching(words)])
    expect(problems[0]).not.toMatch(/s3c/)
  })

  it('are refused when there is no file', async () => {
    const data = await directory()
    await mkdir(join(data, 'folder'), { mode: 0o700 })
    expect(await problemsOf(section('nowhere', 'folder'), data)).toEqual([
      `social.bluesky.app_password_file: ${data}/nowhere is not there: make it, with mode 600`,
      `social.mastodon.access_token_file: ${data}/folder is no file`,
    ])
  })

  it('are not asked for where nothing is switched on', async () => {
    const off = { llm: { api_key_file: 'nowhere' }, x: { refresh_token_file: 'nowhere' } }
    expect(await problemsOf(off, await directory())).toEqual([])
  })
})
