import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const entry = { type: 'http', url: 'http://localhost:8765/mcp' }
const onThePort = { CALLBOARD_HTTP: '' }

describe('callboard mcp-json', () => {
  it('shows what it would write, and writes nothing', async () => {
    const installation = new Installation()
    const { code, stdout } = await installation.run(['mcp-json', installation.directory], onThePort)
    expect([code, JSON.parse(stdout)]).toEqual([0, { mcpServers: { qualcoder: entry } }])
    expect(readdirSync(installation.directory)).not.toContain('.mcp.json')
  })

  it('leaves all else in the file as it is', async () => {
    const installation = new Installation()
    const file = join(installation.directory, '.mcp.json')
    const other = { command: 'other', env: { KEY: 'x' } }
    writeFileSync(file, JSON.stringify({ mcpServers: { other, qualcoder: { url: 'old' } }, inputs: [1] }))
    const { code } = await installation.run(['mcp-json', installation.directory, '--write'], onThePort)
    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { other, qualcoder: entry }, inputs: [1] })
    expect(readdirSync(installation.directory).filter((name) => name.startsWith('.mcp.json'))).toEqual(['.mcp.json'])
  })

  it('names the address that this installation listens at', async () => {
    const installation = new Installation()
    const variables = { CALLBOARD_HTTP: '127.0.0.1:18888' }
    const { stdout } = await installation.run(['mcp-json', installation.directory], variables)
    expect(JSON.parse(stdout).mcpServers.qualcoder.url).toBe('http://127.0.0.1:18888/mcp')
  })

  it.each(['{', '[]', '7', '{"mcpServers": []}'])('does not touch a file that is something else: %s', async (text) => {
    const installation = new Installation()
    const file = join(installation.directory, '.mcp.json')
    writeFileSync(file, text)
    const answer = await installation.run(['mcp-json', installation.directory, '--write'], onThePort)
    expect(answer).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('then try again') })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('says that there is no address where HTTP is off', async () => {
    const installation = new Installation()
    const variables = { CALLBOARD_HTTP: 'off' }
    expect(await installation.run(['mcp-json'], variables)).toMatchObject({ code: 2, stdout: '' })
  })
})
