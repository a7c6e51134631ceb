// A worker of the SDK in a process of its own, at the hub of argv[2]: gives back what it gets, and results of any size.

import { z } from 'zod'
import { defineWorker, text } from '../../../worker/dist/index.js'

const anything = { type: 'object' }
const worker = defineWorker({ service: 'payloads', version: '1.0.0' })
worker.tool('echo', { description: 'Gives back.', input: z.looseObject({}), inputSchema: anything }, (input) => input)
worker.tool('size', { description: 'Measures.', input: z.looseObject({}), inputSchema: anything }, (input) =>
  String(Buffer.byteLength(JSON.stringify(input))),
)
worker.tool(
  'fill',
  { description: 'A result of so many bytes.', input: z.object({ bytes: z.number(), unit: z.string() }) },
  ({ bytes, unit }) => {
    const head = `${process.pid}:`
    const left = bytes - sizeOf(head)
    const count = Math.floor(left / (sizeOf(unit) - sizeOf('')))
    const filled = head + unit.repeat(count)
    return filled + 'x'.repeat(bytes - sizeOf(filled))
  },
)
worker.tool('picture', { description: 'Bytes.', input: z.object({ bytes: z.number() }) }, ({ bytes }) => [
  text('before'),
  { type: 'image', mimeType: 'image/png', data: Buffer.alloc(bytes, 'pixel').toString('base64') },
])
await worker.start({ endpoint: process.argv[2], logLevel: 'silent' })
process.send('ready')
process.on('disconnect', () => process.exit())

function sizeOf(filled) {
  return Buffer.byteLength(JSON.stringify({ content: [text(filled)] }))
}
