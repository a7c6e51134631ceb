// The proxy that the first SDK makes easy: a server in front, a client behind. `node naive-proxy.js SERVER`
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { endWithStdin } from './end-with-parent.js'

const client = new Client({ name: 'proxy', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.argv[2]!] }))
const server = new Server({ name: 'proxy', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params))
process.stdout.setMaxListeners(0)
endWithStdin()
await server.connect(new StdioServerTransport())
