// What the agents of these tests have in common: MCP over `callboard stdio`, with nothing but what their environment holds.
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Nobody reads half a file. */
export function writeWhole(file, value) {
  writeFileSync(`${file}.part`, JSON.stringify(value ?? null))
  renameSync(`${file}.part`, file)
}

export async function openAgent() {
  const shim = spawn(process.execPath, [process.argv[2], 'stdio'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface(shim.stdout)[Symbol.asyncIterator]()
  let lastId = 0
  const write = (message) => shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (method, params) => {
    const id = ++lastId
    write({ id, method, params })
    for (;;) {
      const { done, value } = await lines.next()
      if (done) throw new Error('callboard stdio has ended')
      const message = JSON.parse(value)
      if (message.id === id) return message.result ?? message.error
    }
  }
  const clientInfo = { name: 'agent', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  write({ method: 'notifications/initialized' })
  return {
    call: (name, args) => ask('tools/call', { name, arguments: args }),
    close: () => shim.stdin.end(),
  }
}
