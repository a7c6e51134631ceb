import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Loose, QdaInstallation } from './support/qda-installation.js'

let end: () => Promise<void>
let qda: QdaInstallation
beforeAll(async () => {
  qda = new QdaInstallation({}, (clean) => {
    end = clean
  })
  await qda.start()
  await qda.ask('create_project', { path: join(qda.directory, 'Study.qda') })
  await qda.ask('add_text_source', { name: 'interview1.txt', content: 'I was anxious. '.repeat(20) })
  await qda.ask('create_code', { name: 'Anxiety' })
})
afterAll(() => end())

const json = { 'content-type': 'application/json' }
const tools = [
  ...['get_project_context', 'list_sources', 'read_source_content', 'navigate_to_segment', 'suggest_source_metadata'],
  ...['open_project', 'close_project', 'add_text_source', 'remove_source', 'list_folders', 'create_folder'],
  ...['rename_folder', 'delete_folder', 'move_source_to_folder', 'list_codes', 'get_code', 'batch_apply_codes'],
  ...['list_segments_for_source', 'create_code', 'update_code', 'delete_code', 'merge_codes', 'remove_coding'],
  ...['auto_code_pattern', 'auto_code_speaker'],
]

describe('the commands of the contract’s page work as they stand there', () => {
  it('to call a tool', async () => {
    const answer = await qda.shell(`curl -X POST http://localhost:8765/tools/list_codes \\
  -H "Content-Type: application/json" \\
  -d '{"arguments": {}}'`)
    expect(answer).toMatchObject({ success: true, data: [{ id: 1, name: 'Anxiety' }] })
  })

  it('to list the tools by JSON-RPC, without a handshake', async () => {
    const answer = await qda.shell(`curl -X POST http://localhost:8765/mcp \\
  -H "Content-Type: application/json" \\
  -d '{
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {}
  }'`)
    const { tools: listed } = (await qda.send('GET', '/tools')).body
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1 })
    expect(answer.result.tools.map(({ name }: Loose) => name)).toEqual(listed.map(({ name }: Loose) => name))
    expect(answer.result.tools).toMatchObject(listed)
  })

  it('to call a tool by JSON-RPC, in the session that plain calls have', async () => {
    const { id, result } = await qda.shell(`curl -X POST http://localhost:8765/mcp \\
  -H "Content-Type: application/json" \\
  -d '{
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {
      "name": "batch_apply_codes",
      "arguments": {
        "operations": [{
          "code_id": 1,
          "source_id": 1,
          "start_position": 0,
          "end_position": 100
        }]
      }
    }
  }'`)
    expect(id).toBe(2)
    expect(result.isError).not.toBe(true)
    expect(result.structuredContent).toMatchObject({
      success: true,
      data: { total: 1, succeeded: 1, failed: 0, all_succeeded: true, results: [{ index: 0, success: true }] },
    })
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  })
})

describe('GET', () => {
  it('/ says that it is healthy', async () => {
    const { status, body } = await qda.send('GET', '/')
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ name: expect.any(String), version: expect.any(String), workers: { qda: 'ready' } },
      ...{ mcp_endpoint: 'POST /mcp', tools_endpoint: 'GET /tools' },
    })
  })

  it('/tools has all twenty-five, each with both schemas and its marks, in the same order each time', async () => {
    const { body, text } = await qda.send('GET', '/tools')
    expect(body.tools.map(({ name }: Loose) => name)).toEqual(expect.arrayContaining(tools))
    for (const tool of body.tools)
      expect(Object.keys(tool).sort()).toEqual(['annotations', 'description', 'inputSchema', 'name', 'outputSchema'])
    expect((await qda.send('GET', '/tools')).text).toBe(text)
  })

  it('and every one of them can be called', async () => {
    const token = await qda.tokenOf('caller')
    for (const tool of tools) {
      const { success, error_code } = await qda.call(tool, {}, token)
      expect([undefined, 'NO_PROJECT', 'MISSING_PARAMETER'], tool).toContain(error_code)
      expect(success, tool).toBe(error_code === undefined)
    }
  })

  it('/tools has no tool for those who decide', async () => {
    const { body } = await qda.send('GET', '/tools')
    const names = body.tools.map(({ name }: Loose) => name)
    for (const hidden of ['list_suggestions', 'approve_suggestion', 'reject_suggestion']) {
      expect(names).not.toContain(hidden)
      const { status, body: refused } = await qda.post(`/tools/${hidden}`, { arguments: { id: 'x', reason: 'y' } })
      expect({ status, ...refused }).toMatchObject({ status: 404, error: `Unknown tool: ${hidden}` })
    }
  })
})

describe('a body', () => {
  const list = (body: string | undefined, headers: Record<string, string> = json) =>
    qda.send('POST', '/tools/list_codes', { headers, ...(body !== undefined && { body }) })

  it.each(['', '{}', '{"arguments":{}}', '{"arguments":{},"other":1}'])('%j gives no arguments', async (body) => {
    expect(await list(body)).toMatchObject({ status: 200, body: { success: true } })
  })

  it('that is no JSON is refused, and not taken for no arguments', async () => {
    expect(await list('{"arguments":')).toMatchObject({
      status: 400,
      body: { success: false, error: expect.stringMatching(/^Invalid JSON: /), error_code: 'INVALID_JSON' },
    })
  })

  it.each(['[]', '1', '{"source_id":1}', '{"arguments":[]}'])('%j is refused', async (body) => {
    expect(await list(body)).toMatchObject({ status: 400, body: { success: false, error_code: 'INVALID_REQUEST' } })
  })

  it('of 2 MB makes a source', async () => {
    const content = 'Straße. '.repeat(240_000)
    const answer = await qda.ask('add_text_source', { name: 'long', content })
    expect(answer).toMatchObject({ total_length: content.length, file_size: 2_160_000 })
    const start_pos = content.length - 8
    const { data } = await qda.ask('read_source_content', { source_id: answer.source_id, start_pos })
    expect(data).toMatchObject({ content: 'Straße. ', has_more: false })
  })

  it('of more than 4 MiB is too large', async () => {
    const answer = await qda.shell(`head -c 5000000 /dev/zero | tr '\\0' ' ' |
  curl -X POST http://localhost:8765/tools/add_text_source -H "Content-Type: application/json" --data-binary @-`)
    expect(answer).toMatchObject({ success: false, error_code: 'BODY_TOO_LARGE' })
    const headers = { ...json, 'content-length': '5000000', expect: '100-continue' }
    expect((await qda.send('POST', '/tools/add_text_source', { headers })).status).toBe(413)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('of type %s is refused', async (type) => {
    expect(await list('{}', { 'content-type': type })).toMatchObject({ status: 415, body: { success: false } })
  })
})

describe('refused is', () => {
  it('a tool that there is not', async () => {
    expect(await qda.post('/tools/list_coeds', { arguments: {} })).toMatchObject({
      status: 404,
      body: {
        ...{ success: false, error: 'Unknown tool: list_coeds', error_code: 'TOOL_NOT_FOUND' },
        suggestions: ['Did you mean list_codes?'],
      },
    })
  })

  it.each(['evil.example', 'localhost', 'localhost:1'])('another host: %s', async (host) => {
    expect(await qda.send('GET', '/tools', { headers: { host } })).toMatchObject({
      status: 403,
      body: { error_code: 'HOST_NOT_ALLOWED' },
    })
  })

  it.each(['http://evil.example', 'null'])('a page from %s', async (origin) => {
    const { status, headers, body } = await qda.send('GET', '/tools', { headers: { origin } })
    expect({ status, code: body.error_code }).toEqual({ status: 403, code: 'ORIGIN_NOT_ALLOWED' })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('a wrong token', async () => {
    const headers = { authorization: 'Bearer nonsense' }
    expect((await qda.send('GET', '/tools', { headers })).status).toBe(401)
  })

  it('another path or method, with what is allowed', async () => {
    expect((await qda.send('GET', '/projects')).status).toBe(404)
    expect(await qda.send('DELETE', '/tools')).toMatchObject({ status: 405, headers: { allow: expect.any(String) } })
  })
})

describe('POST /mcp', () => {
  const call = (name: unknown, args: unknown = {}) =>
    qda.post('/mcp', { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name, arguments: args } })

  it('hands a call with an argument missing to the tool, which answers it as a result', async () => {
    const { status, body } = await call('add_text_source', { content: 'b' })
    expect({ status, isError: body.result.isError }).toEqual({ status: 200, isError: true })
    expect(body.result.structuredContent).toMatchObject({
      ...{ success: false, error: 'Missing required parameter: name', error_code: 'MISSING_PARAMETER' },
    })
  })

  it('knows no unknown tool', async () => {
    expect((await call('no_tool')).body.error).toMatchObject({
      ...{ code: -32602, message: 'Unknown tool: no_tool', data: { error_code: 'TOOL_NOT_FOUND' } },
    })
  })

  it.each([
    [7, {}],
    ['list_codes', []],
  ])('refuses a name %j with arguments %j', async (name, args) => {
    expect((await call(name, args)).body.error.code).toBe(-32602)
  })

  it('says nothing to a notification', async () => {
    const { status, text } = await qda.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect({ status, text }).toEqual({ status: 202, text: '' })
  })

  it('refuses what it cannot read', async () => {
    const { status, body } = await qda.send('POST', '/mcp', { headers: json, body: '{' })
    expect({ status, ...body }).toMatchObject({ status: 400, id: null, error: { code: -32700 } })
  })
})

it('one principal has one session over all requests, and another principal another one', async () => {
  const [ada, bob] = [await qda.tokenOf('ada'), await qda.tokenOf('bob')]
  const path = join(qda.directory, 'Other.qda')
  await qda.ask('create_project', { path }, ada)
  await qda.ask('create_code', { name: 'Only here' }, ada)
  expect((await qda.ask('list_codes', {}, ada)).data).toMatchObject([{ name: 'Only here', owner: 'AI Agent (ada)' }])
  expect(await qda.call('list_codes', {}, bob)).toMatchObject({ success: false, error_code: 'NO_PROJECT' })
  expect(await qda.ask('open_project', { path }, bob)).toMatchObject({ project_name: 'Other', project_path: path })
  expect((await qda.ask('list_codes', {}, bob)).data).toHaveLength(1)
  expect((await qda.ask('list_codes')).data).toMatchObject([{ name: 'Anxiety' }])
})
