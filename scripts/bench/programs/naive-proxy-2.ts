// The same proxy on the second SDK. `node naive-proxy-2.js SERVER`
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { endWithStdin } from './end-with-parent.js'

const client = new Client({ name: 'proxy', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.argv[2]!] }))
const server = new Server({ name: 'proxy', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler('tools/list', ({ params }) => client.listTools(params))
server.setRequestHandler('tools/call', ({ params }) => client.callTool(params))
process.stdout.setMaxListeners(0)
endWithStdin()
await server.connect(new StdioServerTransport())
