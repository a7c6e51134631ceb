import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { largeLineBytes } from '../../src/mcp/limits.js'
import { LineWriter } from '../../src/mcp/line-writer.js'

/** Takes what it is given, and keeps it as it came. */
function written(body: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  const writer = new LineWriter(output)
  writer.lineAround('{"x":', body)
  writer.flush()
  return chunks
}

describe('a large body', () => {
  it('is written from where it lies', () => {
    const body = Buffer.alloc(largeLineBytes, 'x')
    const chunks = written(body)
    expect(Buffer.concat(chunks).toString()).toBe(`{"x":${body.toString()}}\n`)
    expect(chunks.some(({ buffer }) => buffer === body.buffer)).toBe(true)
  })

  it('does not keep what lay around it', () => {
    const chunk = Buffer.alloc(largeLineBytes * 16, 'x')
    const chunks = written(chunk.subarray(7, 7 + largeLineBytes))
    expect(Buffer.concat(chunks)).toHaveLength('{"x":}\n'.length + largeLineBytes)
    expect(chunks.filter(({ buffer }) => buffer === chunk.buffer)).toEqual([])
  })
})
