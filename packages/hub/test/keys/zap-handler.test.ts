import { encodeCurveKey } from '@callboard/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Context, Request } from 'zeromq'
import { ZapHandler } from '../../src/keys/zap-handler.js'

const goodKey = Buffer.alloc(32, 7)

async function handler(): Promise<{ ask: (...frames: (string | Buffer)[]) => Promise<string>; told: string[] }> {
  const context = new Context()
  const told: string[] = []
  const zap = new ZapHandler(context, {
    refusalOfKey: (key) => (key === encodeCurveKey(goodKey) ? undefined : 'unknown_key'),
    refusalOfUser: (uid) => (uid === 1000 ? undefined : 'foreign_user'),
    refused: (reason) => void told.push(reason),
  })
  await zap.bind()
  const request = new Request({ context, linger: 0 })
  request.connect('inproc://zeromq.zap.01')
  onTestFinished(async () => {
    request.close()
    await zap.close()
  })
  const ask = async (...frames: (string | Buffer)[]) => {
    await request.send(['1.0', 'request-1', ...frames])
    const [, echoed, code] = await request.receive()
    expect(String(echoed)).toBe('request-1')
    return String(code)
  }
  return { ask, told }
}

describe('who may connect [CB-106]', () => {
  it.each([
    ['an admitted key', ['keys', '10.0.0.1', 'id', 'CURVE', goodKey], '200', []],
    ['another key', ['keys', '10.0.0.1', 'id', 'CURVE', Buffer.alloc(32)], '400', ['unknown_key']],
    ['a key of another length', ['keys', '10.0.0.1', 'id', 'CURVE', Buffer.alloc(31)], '400', ['malformed_key']],
    ['no key', ['keys', '10.0.0.1', 'id', 'CURVE'], '400', ['malformed_key']],
    ['another mechanism', ['keys', '10.0.0.1', 'id', 'NULL'], '400', ['wrong_mechanism']],
    ['another domain', ['', '10.0.0.1', 'id', 'CURVE', goodKey], '400', ['wrong_mechanism']],
    ['nothing at all', [], '400', ['wrong_mechanism']],
    ["a process of the hub's user", ['local', 'localhost:1000:100:42', '', 'NULL'], '200', []],
    ['a process of another user [CB-86]', ['local', 'localhost:1001:100:42', '', 'NULL'], '400', ['foreign_user']],
    ['a process on loopback', ['local', '127.0.0.1', '', 'NULL'], '200', []],
  ])('%s', async (_, frames, code, reasons) => {
    const { ask, told } = await handler()
    expect(await ask(...(frames as string[]))).toBe(code)
    expect(told).toEqual(reasons)
  })
})
