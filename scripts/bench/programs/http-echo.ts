// The floor of HTTP: takes a body, gives a body, knows no JSON and no MCP. Tells its parent its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endWithParent } from './end-with-parent.js'
import { splicedAnswer } from './spliced-answer.js'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => {
    const answer = splicedAnswer((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('latin1'))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    response.end(answer)
  })
})
server.keepAliveTimeout = 600_000
endWithParent()
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
