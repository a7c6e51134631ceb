// The echo tool on stdio, as the first SDK has it: what a call costs without anything between.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { echoed, echoTool } from './echo-tool.js'
import { endWithStdin } from './end-with-parent.js'

const server = new Server({ name: 'direct', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [echoTool] }))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: 'text', text: echoed(params.arguments) }],
}))
process.stdout.setMaxListeners(0)
endWithStdin()
await server.connect(new StdioServerTransport())
