import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Installation } from '../support/installation.js'
import { LineClient, revisions } from './line-client.js'

const everything = fileURLToPath(new URL('../interop/everything-worker.mjs', import.meta.url))
const seed = Number(process.env['SEED'] ?? 1)

const valid = fc.constantFrom(
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}',
  '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  '[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]',
  '{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"everything://text"}}',
  '{"jsonrpc":"2.0","id":4,"result":{"action":"accept"}}',
)
/** A message with some of its bytes changed, doubled or taken away. */
const broken = fc
  .tuple(
    valid,
    fc.array(fc.record({ at: fc.nat(200), byte: fc.nat(255), cut: fc.nat(3), times: fc.nat(2) }), { maxLength: 4 }),
  )
  .map(([text, edits]) => {
    let bytes = Buffer.from(text)
    for (const { at, byte, cut, times } of edits) {
      const before = bytes.subarray(0, at % bytes.length)
      bytes = Buffer.concat([before, Buffer.alloc(times, byte), bytes.subarray(before.length + cut), Buffer.from(' ')])
    }
    return bytes
  })
const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const piece = fc.oneof(valid.map(Buffer.from), broken, broken, noise)
const ending = fc.constantFrom('\n', '\n', '\r\n', '')

it(`any bytes at all leave a connection that answers (seed ${seed})`, async () => {
  const installation = new Installation()
  await installation.hub()
  await installation.worker(everything)
  const hub = installation.find('callboard.js hub')
  const bytes = fc.array(fc.tuple(piece, ending), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(bytes, fc.constantFrom(...revisions), fc.boolean(), async (sent, revision, inOne) => {
      const client = await LineClient.open('mcp.sock', revision, installation)
      const pieces = sent.flatMap(([start, end]) => [start, Buffer.from(end)])
      for (const each of inOne ? [Buffer.concat(pieces)] : pieces) client.write(each)
      client.write('\n')
      await client.wellFormed()
      client.ends.kill()
    }),
    { seed, numRuns: 300 },
  )
  expect(installation.find('callboard.js hub')).toBe(hub)
}, 60_000)
