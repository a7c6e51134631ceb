import { type Duplex, duplexPair, PassThrough, Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineBudget } from '../../src/mcp/line-budget.js'
import { type NdjsonOptions, NdjsonTransport } from '../../src/mcp/ndjson-transport.js'
import type { Loose } from './fake-hub.js'
import { LinePeer } from './line-peer.js'

async function started(options: Partial<NdjsonOptions> = {}) {
  const [ours, theirs] = duplexPair()
  const transport = new NdjsonTransport({ input: ours, output: ours, ...options })
  const messages: JSONRPCMessage[] = []
  const events: string[] = []
  transport.onmessage = (message) => messages.push(message)
  transport.onclose = () => events.push('close')
  transport.onerror = (error) => events.push(error.message)
  await transport.start()
  return { transport, messages, events, peer: new LinePeer(theirs), theirs }
}

/** Until all that is due has run once. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const note = (n: unknown): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'n', params: { n } })

describe('NdjsonTransport', () => {
  it('delivers the same messages however their bytes are cut', async () => {
    const params = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(fc.array(params, { maxLength: 8 }), fc.array(fc.nat()), async (all, cuts) => {
        const wanted = all.map((entry) => `{"jsonrpc":"2.0","method":"n","params":${JSON.stringify(entry)}}`)
        const bytes = Buffer.from(wanted.map((line) => `${line}\r\n`).join(''))
        const { transport, messages, theirs } = await started()
        let from = 0
        for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
          theirs.write(bytes.subarray(from, cut))
          from = cut
        }
        theirs.end()
        await transport.closed
        expect(messages).toEqual(wanted.map((line) => JSON.parse(line)))
      }),
      { numRuns: 60 },
    )
  })

  it('answers garbage and goes on', async () => {
    const { messages, peer } = await started()
    peer.write('nonsense', '', note(1), '{"jsonrpc":"2.0"', '[]')
    expect(await peer.read()).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await peer.read()).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await peer.read()).toMatchObject({ id: null, error: { code: -32600 } })
    expect(messages).toEqual([note(1)])
  })

  it('answers only so much garbage a second', async () => {
    const { transport, peer } = await started()
    peer.write(...Array.from({ length: 1000 }, () => 'x'))
    peer.stream.end()
    await transport.closed
    let replies = 0
    while ((await peer.read()) !== undefined) replies++
    // A second may begin in between.
    expect(replies).toBeGreaterThan(0)
    expect(replies).toBeLessThanOrEqual(40)
  })

  it('answers every request that it refuses, however many', async () => {
    const { peer } = await started()
    const ids = Array.from({ length: 100 }, (_, index) => index)
    peer.write(...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'x', params: { _meta: null } })))
    for (const id of ids) expect(await peer.read()).toMatchObject({ id, error: { code: -32600 } })
  })

  it('answers by an error what cannot be written, and goes on', async () => {
    const { transport, peer } = await started()
    const endless: Record<string, unknown> = {}
    endless['self'] = endless
    await transport.send({ jsonrpc: '2.0', id: 1, result: endless })
    await transport.send({ jsonrpc: '2.0', id: 2, error: { code: 1, message: 'x', data: endless } })
    await expect(transport.send(note(endless))).rejects.toThrow()
    await transport.send(note(1))
    expect(await peer.read()).toMatchObject({ id: 1, error: { code: -32603 } })
    expect(await peer.read()).toMatchObject({ id: 2, error: { code: -32603 } })
    expect(await peer.read()).toEqual(note(1))
  })

  it('answers a line that is too long and goes on', async () => {
    const { messages, peer } = await started()
    peer.write(`{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"${'y'.repeat(10 * 1024 * 1024)}"}}`, note(2))
    expect(await peer.read()).toMatchObject({
      id: 5,
      error: { code: -32600, message: expect.stringContaining('long') },
    })
    peer.stream.end(`${JSON.stringify(note(3))}\n`)
    await peer.read()
    expect(messages).toEqual([note(2), note(3)])
  })

  it('gives back what a begun line held when the connection goes', async () => {
    const lineBudget = new LineBudget(100_000)
    const { transport, theirs } = await started({ lineBudget })
    theirs.write('x'.repeat(100_000))
    await turn()
    expect(lineBudget.take(100_000)).toBe(false)
    await transport.close()
    expect(lineBudget.take(100_000)).toBe(true)
  })

  it('takes a whole last line without an end, and refuses half a one', async () => {
    const whole = await started()
    whole.theirs.end(JSON.stringify(note(1)))
    await whole.transport.closed
    expect(whole.messages).toEqual([note(1)])
    const half = await started()
    half.theirs.end('{"jsonrpc":')
    expect(await half.peer.read()).toMatchObject({ error: { code: -32700 } })
    await half.transport.closed
  })

  it('joins the lines of one tick into one write', async () => {
    const chunks: string[] = []
    const output = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk))
        done()
      },
    })
    const { transport } = await started({ input: new PassThrough(), output })
    await Promise.all([1, 2, 3].map((n) => transport.send(note(n))))
    await turn()
    expect(chunks).toEqual([[1, 2, 3].map((n) => `${JSON.stringify(note(n))}\n`).join('')])
  })

  it('writes what was sent before it closes, and closes once', async () => {
    const { transport, events, peer } = await started()
    void transport.send(note('x'.repeat(300_000)))
    void transport.send(note('last'))
    await Promise.all([transport.close(), transport.close()])
    expect(await peer.read()).toMatchObject({ params: { n: expect.stringMatching(/^x/) } })
    expect(await peer.read()).toMatchObject({ params: { n: 'last' } })
    expect(await peer.read()).toBeUndefined()
    expect(events).toEqual(['close'])
    await expect(transport.send(note(1))).rejects.toThrow('closed')
  })

  it('closes once when the other side ends, or ours fails or goes away', async () => {
    for (const leave of [
      (_ours: Duplex, theirs: Duplex) => theirs.end(),
      (ours: Duplex) => ours.destroy(),
      (ours: Duplex) => ours.destroy(new Error('reset')),
    ]) {
      const [ours, theirs] = duplexPair()
      const { transport, events } = await started({ input: ours, output: ours })
      leave(ours, theirs)
      await transport.closed
      await transport.close()
      expect(events.filter((event) => event === 'close')).toHaveLength(1)
    }
  })

  it('answers what was asked before EOF', async () => {
    const { transport, messages, peer } = await started({ eofGraceMs: 60_000 })
    peer.write({ jsonrpc: '2.0', id: 1, method: 'x' }, { jsonrpc: '2.0', id: 2, method: 'x' })
    peer.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    peer.stream.end()
    await turn()
    expect(messages).toHaveLength(3)
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    expect(await peer.read()).toMatchObject({ id: 1, result: {} })
    await transport.closed
  })

  it('stops reading from a client that does not read, and gives it up at the cap', async () => {
    const input = new PassThrough()
    const output = new Writable({ write: () => {} })
    const { transport, events } = await started({ input, output, outboundBytesMax: 4 * 1024 * 1024 })
    await transport.send(note('x'.repeat(2 * 1024 * 1024)))
    await turn()
    expect(input.isPaused()).toBe(true)
    await transport.send(note('x'.repeat(3 * 1024 * 1024)))
    await transport.closed
    expect(events).toEqual(['the client does not read its answers', 'close'])
  })

  it('reads on when a slow client has caught up', async () => {
    const input = new PassThrough()
    let release = () => {}
    const output = new Writable({
      write: (_chunk, _encoding, done) => {
        release = done
      },
    })
    const { transport, messages } = await started({ input, output })
    await transport.send(note('x'.repeat(2 * 1024 * 1024)))
    await turn()
    input.write(`${JSON.stringify(note(1))}\n`)
    await turn()
    expect(messages).toEqual([])
    release()
    await turn()
    expect(messages).toEqual([note(1)])
  })

  it('lets an interceptor take a message and answer it itself', async () => {
    const { transport, messages, peer } = await started({
      intercept: (message) => {
        if (!('id' in message) || !('method' in message)) return false
        transport.sendLine(`{"jsonrpc":"2.0","id":${message.id},"result":{"fast":true}}`, message.id)
        return true
      },
    })
    peer.write({ jsonrpc: '2.0', id: 4, method: 'tools/call' }, note(1))
    expect(await peer.read()).toEqual({ jsonrpc: '2.0', id: 4, result: { fast: true } })
    expect(messages).toEqual([note(1)])
  })

  describe('batches', () => {
    const request = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'x' })

    it('are refused outside of 2025-03-26', async () => {
      const { transport, messages, peer } = await started()
      transport.setProtocolVersion('2025-11-25')
      peer.write([request(1)])
      expect(await peer.read()).toMatchObject({
        id: null,
        error: { code: -32600, message: expect.stringMatching(/batch/) },
      })
      expect(messages).toEqual([])
    })

    it('are answered as one array', async () => {
      const { transport, messages, peer } = await started()
      transport.setProtocolVersion('2025-03-26')
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }
      peer.write([request(1), note(1), { junk: true }, request('b'), request(3), request(1)], cancelled, request(9))
      while (messages.length < 6) await turn()
      await transport.send({ jsonrpc: '2.0', id: 'b', result: {} })
      await transport.send({ jsonrpc: '2.0', id: 9, result: {} })
      expect(await peer.read()).toMatchObject({ id: 9 })
      await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
      const batch = await peer.read()
      expect(batch.map(({ id, error }: Loose) => [id, error?.code])).toEqual([
        [null, -32600],
        [1, -32600],
        ['b', undefined],
        [1, undefined],
      ])
    })

    it('wait for a request that only has the name of a cancellation', async () => {
      const { transport, messages, peer } = await started()
      transport.setProtocolVersion('2025-03-26')
      peer.write([{ ...request(1), method: 'notifications/cancelled', params: { requestId: 2 } }, request(2)])
      while (messages.length < 2) await turn()
      for (const id of [1, 2]) await transport.send({ jsonrpc: '2.0', id, result: {} })
      expect(await peer.read()).toHaveLength(2)
    })

    it('hold 1 to 100 messages', async () => {
      const { transport, peer } = await started()
      transport.setProtocolVersion('2025-03-26')
      peer.write(
        [],
        Array.from({ length: 101 }, () => note(1)),
      )
      expect(await peer.read()).toMatchObject({ id: null, error: { code: -32600 } })
      expect(await peer.read()).toMatchObject({ id: null, error: { code: -32600 } })
    })
  })
})
