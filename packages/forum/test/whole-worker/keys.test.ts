import fs from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { resources } from '../contract/resource-contract.js'
import { ada, bob } from '../support/whole-forum.js'
import { adminOf, ask, forum, inTime, refusal, userOf, worker, writing } from './support.js'

/** Everything that the worker writes on stderr from now on. */
function logged(): { readonly text: () => string } {
  const write = fs.writeSync
  const lines: string[] = []
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((file: number, ...rest: readonly unknown[]) => {
    if (file !== 2) return (write as (...all: readonly unknown[]) => number)(file, ...rest)
    lines.push(String(rest[0]))
    return Buffer.byteLength(String(rest[0]))
  }) as typeof fs.writeSync)
  onTestFinished(() => spy.mockRestore())
  return { text: () => lines.join('') }
}

describe('a key', () => {
  it('of one folder never serves the other, nor is it sent there', async () => {
    const server = await forum({ basePath: '/forumA' })
    const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(server)] } })
    await whole.select(server.base)
    expect(whole.toolsOf()).toContain('discourse_create_post')
    server.forgetRequests()
    // The same server answers for both; it is no forum there.
    await whole.refusal('discourse_select_site', { site: `${server.origin}/forumB` })
    expect(server.requests.map(({ headers }) => headers['api-key'])).toEqual(server.requests.map(() => undefined))
    expect(server.requests.length).toBeGreaterThan(0)
  })

  it.each(['elsewhere', 'the folder beside it', 'the origin'])('is not sent to %s by a redirect', async (where) => {
    const server = await forum({ basePath: '/forumA' })
    const other = await forum({ basePath: '/forumA' })
    const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(server)] } })
    await whole.select(server.base)
    const location = {
      elsewhere: `${other.base}/t/1.json?api=${server.keys.admin.key}`,
      'the folder beside it': `${server.origin}/forumB/t/1.json`,
      'the origin': '/t/1.json',
    }[where]!
    server.forgetRequests()
    server.fault({ on: /^(GET \/t\/|POST )/, kind: 'redirect', location, times: 2 })
    const error = await refusal(whole, 'discourse_read_topic', { topic_id: 1 })
    expect(error).toMatchObject({ code: 'redirect_refused', status: 302 })
    expect(error.error).toContain('/t/1.json')
    expect(JSON.stringify(error)).not.toContain(server.keys.admin.key)
    const written = await refusal(whole, 'discourse_create_post', { topic_id: 1, raw: 'Hello there' })
    expect(written).toMatchObject({ code: 'redirect_refused', outcome: 'rejected' })
    expect([server.requests.length, other.requests.length]).toEqual([2, 0])
    expect(server.requests.every(({ inside }) => inside)).toBe(true)
  })

  it('is with every request to its forum, which all begin with its folder', async () => {
    const server = await forum({ basePath: '/forumA', village: true })
    const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(server)] } })
    await whole.select(server.base)
    for (const uri of Object.keys(resources)) await whole.read(uri)
    await whole.ask('discourse_search', { query: 'bees' })
    await whole.ask('discourse_read_topic', { topic_id: 11, post_limit: 50 })
    await whole.ask('discourse_get_inbox')
    await ask(whole, 'discourse_create_post', { topic_id: 11, raw: 'From the folder.' })
    await ask(whole, 'discourse_save_draft', { draft_key: 'topic_11', reply: 'From the folder, too.' })
    expect(server.requests.length).toBeGreaterThan(15)
    for (const { inside, headers, path } of server.requests) {
      expect({ path, inside, key: headers['api-key'] }).toEqual({ path, inside: true, key: server.keys.admin.key })
    }
  })

  it('shows what writes only while its forum is selected', async () => {
    const [own, other] = [await forum(), await forum()]
    const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(own)] } })
    const seen = async (site: string) => {
      await whole.select(site)
      return whole.toolsOf().includes('discourse_create_post')
    }
    expect([await seen(other.base), await seen(own.base), await seen(other.base)]).toEqual([false, true, false])
    const error = await whole.refusal('discourse_create_post', { topic_id: 1, raw: 'Hello' })
    expect(error).toMatchObject({ code: 'tool_unavailable', error: expect.stringContaining(other.base) })
    expect(other.seen(/^POST/)).toEqual([])
  })

  it('of one user posts as nobody else', async () => {
    const server = await forum()
    const whole = await worker({ config: { ...writing, auth_pairs: [userOf(server, 'bob')] } })
    await whole.select(server.base)
    const given = { topic_id: 1, raw: 'As Ada', author_username: 'ada' }
    expect(await whole.refusal('discourse_create_post', given)).toMatchObject({
      code: 'invalid_arguments',
      outcome: 'rejected',
    })
    expect(server.seen(/^POST/)).toEqual([])
  })

  it('is in no line of a debug log and in no answer, even where the forum repeats it', async () => {
    const log = logged()
    const server = await forum()
    const { key } = server.keys.admin
    const config = { ...writing, auth_pairs: [adminOf(server)] }
    const whole = await worker({ config, logLevel: 'debug' })
    await whole.select(server.base)
    const password = 'correct horse "battery"'
    server.fault({ on: /^(GET \/t\/|POST)/, kind: 'echo', status: 422, times: 2 })
    const read = await whole.link.callTool('discourse_read_topic', { topic_id: 1 }, ada)
    const given = { username: 'fern', email: 'fern@example.com', name: 'Fern', password }
    const written = await inTime(whole, whole.link.callTool('discourse_create_user', given, ada))
    server.fault({ on: /^POST/, kind: 'status', status: 422, json: { errors: [`No: ${password}`] } })
    const again = await inTime(whole, whole.link.callTool('discourse_create_user', given, ada))
    const told = [JSON.stringify([read, written, again]), log.text()]
    expect(log.text()).toContain('"config"')
    expect(JSON.stringify(read)).toContain('isError')
    for (const text of told) for (const secret of [key, 'battery']) expect(text).not.toContain(secret)
  })
})

describe('a forum without tools of its own', () => {
  it('is a line for debugging and nothing else', async () => {
    const log = logged()
    const server = await forum()
    const quiet = await worker({ logLevel: 'info' })
    await quiet.select(server.base)
    expect(log.text()).not.toMatch(/ai\/tools|tools of its own/)
    const loud = await worker({ logLevel: 'debug' })
    await loud.select(server.base, bob)
    const lines = log
      .text()
      .split('\n')
      .filter((line) => line.includes('tools of its own'))
    expect(lines.map((line) => JSON.parse(line).level)).toEqual([20])
  })

  it('is an error where its tools are asked for, and is selected all the same', async () => {
    const log = logged()
    const server = await forum()
    const whole = await worker({ logLevel: 'error', config: { tools_mode: 'tool_exec_api' } })
    await whole.select(server.base)
    const [line] = log.text().split('\n')
    expect(JSON.parse(line!)).toMatchObject({ level: 50, site: server.base, status: 404 })
  })

  it('is not asked for any where they are not wanted', async () => {
    const server = await forum()
    const whole = await worker({ config: { tools_mode: 'discourse_api_only' } })
    await whole.select(server.base)
    expect(server.seen(/ai\/tools/)).toEqual([])
  })
})
