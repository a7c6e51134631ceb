import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lineBytesPerUnit, lineCost, linesInARowMax, linesPerTurnMax } from '../../src/mcp/limits.js'
import { LineTurns } from '../../src/mcp/line-turns.js'
import { NdjsonTransport } from '../../src/mcp/ndjson-transport.js'

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `{"jsonrpc":"2.0","id":${from + index},"method":"ping"}\n`).join('')

/** A connection, and the ids of what it has handed on. */
async function connection(turns: LineTurns) {
  const input = new PassThrough({ highWaterMark: 1 << 20 })
  const transport = new NdjsonTransport({ input, output: new PassThrough(), turns })
  const heard: unknown[] = []
  transport.onmessage = (message: JSONRPCMessage) => void heard.push((message as { id: unknown }).id)
  onTestFinished(() => transport.close())
  await transport.start()
  return { input, heard, transport }
}

describe('agents that say much at once', () => {
  it('let the event loop go on between a few lines and the next', async () => {
    const { input, heard } = await connection(new LineTurns())
    input.write(lines(1_000))
    const perTurn: number[] = []
    while (heard.length < 1_000) {
      const before = heard.length
      await nextTurn()
      perTurn.push(heard.length - before)
    }
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(linesInARowMax)
    expect(heard).toEqual(Array.from({ length: 1_000 }, (_, index) => index))
  })

  it('take turns with each other, all of them within one bound', async () => {
    const turns = new LineTurns()
    const agents = await Promise.all(Array.from({ length: 20 }, () => connection(turns)))
    for (const { input } of agents) input.write(lines(200))
    const total = () => agents.reduce((sum, { heard }) => sum + heard.length, 0)
    while (total() < 4_000) {
      const before = total()
      await nextTurn()
      expect(total() - before).toBeLessThanOrEqual(linesPerTurnMax)
      const counts = agents.map(({ heard }) => heard.length)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2 * linesInARowMax)
    }
  })

  it('have the sooner said enough the longer their lines are', async () => {
    const { input, heard } = await connection(new LineTurns())
    const turnBytes = linesInARowMax * lineCost * lineBytesPerUnit
    const large = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(turnBytes / 4)}"}}\n`
    input.write(large.repeat(20))
    let before = 0
    while (before < 20) {
      await nextTurn()
      expect(heard.length - before).toBeLessThanOrEqual(2 * 4)
      before = heard.length
    }
  })

  it('are heard in order, in whatever pieces it comes, and to the end', async () => {
    const { input, heard, transport } = await connection(new LineTurns())
    const text = lines(500)
    for (let start = 0; start < text.length; start += 777) input.write(text.slice(start, start + 777))
    input.end()
    while (heard.length < 500) await nextTurn()
    expect(heard).toEqual(Array.from({ length: 500 }, (_, index) => index))
    await transport.close()
  })

  it('are heard to the end when they hang up right behind their last line, and answered', async () => {
    const [input, output] = [new PassThrough({ highWaterMark: 1 << 20 }), new PassThrough()]
    const transport = new NdjsonTransport({ input, output, turns: new LineTurns() })
    transport.onmessage = (message: JSONRPCMessage) =>
      void transport.send({ jsonrpc: '2.0', id: (message as { id: number }).id, result: {} })
    // One chunk, and the end known before it is read; the last line has no end of its own.
    input.end(lines(600).trimEnd())
    await transport.start()
    const answers = (await text(output)).trimEnd().split('\n')
    expect(answers.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 600 }, (_, index) => index))
    await transport.closed
  })
})
