import { beforeEach, describe, expect, it } from 'vitest'
import { connectAgent, httpTransport } from '../mcp/agents.js'
import { parsed, text } from '../mcp/fake-hub.js'
import { modernMeta, TestFront } from './front.js'

const inputSchema = {
  type: 'object' as const,
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    deep: { type: 'object', properties: { key: { type: 'string', 'x-mcp-header': 'Key' } } },
  },
}
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('the arguments that a modern call repeats in headers', () => {
  let front: TestFront
  beforeEach(async () => {
    front = await TestFront.listen()
    front.hub.tool('t', () => text('x'), { inputSchema })
  })

  const call = (given: unknown, headers: Record<string, string>, name = 't') =>
    front.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, _meta: modernMeta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name, ...headers },
    )

  it.each([
    [{ region: 'us-west1' }, { 'Mcp-Param-Region': 'us-west1' }],
    [{ region: 'us-west1' }, { 'MCP-PARAM-REGION': base64('us-west1') }],
    [{ region: 'Größe 世界' }, { 'mcp-param-region': base64('Größe 世界') }],
    [{ region: ' padded\n' }, { 'mcp-param-region': base64(' padded\n') }],
    [{ region: '=?base64?x?=' }, { 'mcp-param-region': base64('=?base64?x?=') }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ limit: 42 }, { 'mcp-param-limit': '42' }],
    [{ limit: 42 }, { 'mcp-param-limit': '42.0' }],
    [{ limit: -7 }, { 'mcp-param-limit': '-7' }],
    [{ dry: false }, { 'mcp-param-dry': 'false' }],
    [{ deep: { key: 'k' } }, { 'mcp-param-key': 'k' }],
    [{}, {}],
    [undefined, {}],
    [{ region: null, deep: null }, {}],
    [{ region: ['no', 'string'] }, {}],
    [{}, { 'mcp-param-other': 'x' }],
  ])('may be %j with %j', async (given, headers) => {
    expect((await call(given, headers)).json).toMatchObject({ id: 1, result: {} })
  })

  it.each([
    [{ region: 'us-west1' }, {}, 'Region'],
    [{ region: 'us-west1' }, { 'mcp-param-region': 'eu' }, 'Region'],
    [{ region: 'us-west1' }, { 'mcp-param-region': 'US-WEST1' }, 'Region'],
    [{ region: 'us-west1' }, { 'mcp-param-region': '=?base64?%%%?=' }, 'Region'],
    [{ region: 'us-west1' }, { 'mcp-param-region': '=?base64?dXMtd2VzdDE?=' }, 'Region'],
    [{ region: 'us-west1' }, { 'mcp-param-region': '=?BASE64?dXMtd2VzdDE=?=' }, 'Region'],
    [{ region: '\ufffd' }, { 'mcp-param-region': `=?base64?${Buffer.from([0xff]).toString('base64')}?=` }, 'Region'],
    [{ region: 'é' }, { 'mcp-param-region': 'é' }, 'Region'],
    [{ limit: 42 }, { 'mcp-param-limit': '43' }, 'Limit'],
    [{ limit: 42 }, { 'mcp-param-limit': '0x2a' }, 'Limit'],
    [{ limit: 42 }, {}, 'Limit'],
    [{ dry: true }, { 'mcp-param-dry': 'True' }, 'Dry'],
    [{ deep: { key: 'k' } }, { 'mcp-param-key': 'l' }, 'Key'],
    [{}, { 'mcp-param-region': 'eu' }, 'Region'],
    [{ region: null }, { 'mcp-param-region': 'null' }, 'Region'],
  ])('may not be %j with %j', async (given, headers, name) => {
    const answer = await call(given, headers)
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { id: 1, error: { code: -32020, data: { mismatch: { header: `Mcp-Param-${name}` } } } },
    ])
    expect(front.hub.calls).toEqual([])
  })

  it('are compared after the headers that every request has', async () => {
    const wrong = await call({ region: 'x' }, { 'mcp-name': 'other' })
    expect(wrong.json.error.message).not.toContain('Region')
    const unsupported = { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }
    const params = { name: 't', arguments: { region: 'x' }, _meta: unsupported }
    const headers = { 'mcp-protocol-version': '2030-01-01', 'mcp-method': 'tools/call', 'mcp-name': 't' }
    const answer = await front.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    expect([answer.status, answer.json.error.code]).toEqual([400, -32022])
  })

  it.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])('are no more needed than %s', async (header) => {
    const answer = await call({}, { [header]: 'other' })
    expect([answer.status, answer.json.error.code]).toEqual([400, -32020])
  })

  it('takes the name of a tool in Base64', async () => {
    expect((await call({}, { 'mcp-name': base64('t') })).json).toMatchObject({ result: {} })
  })

  it('are sent rightly by a real client', async () => {
    const agent = await connectAgent('sdk 2 modern', httpTransport('sdk 2 modern', front.url))
    await agent.client.listTools()
    const given = { region: ' Größe', limit: 3, dry: true, deep: { key: 'k' } }
    await agent.callTool('t', given)
    expect(parsed(front.hub.calls[0]!.body).arguments).toEqual(given)
    await agent.close()
  })

  it('are nothing to a tool whose name is no name', async () => {
    const params = { name: { toString: 1 }, arguments: {}, _meta: modernMeta }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }
    const answer = await front.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    expect(answer.json).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  it('of legacy clients need no headers', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', arguments: { region: 'x' } } }
    expect((await front.post('/mcp', body)).json).toMatchObject({ result: {} })
  })
})
