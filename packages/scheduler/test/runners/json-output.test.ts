import { describe, expect, it } from 'vitest'
import { type Extraction, parseExtraction } from '../../src/runners/extraction.js'
import { JsonOutput } from '../../src/runners/json-output.js'

function readIn(pieces: readonly string[], resultFrom: string, sessionFrom = 'session') {
  const output = new JsonOutput(parseExtraction(resultFrom) as Extraction, parseExtraction(sessionFrom) as Extraction)
  for (const piece of pieces) output.push(Buffer.from(piece))
  return output.end()
}

describe('the JSON of an output', () => {
  it('is the same however it is split', () => {
    const output = '{"session":"s1"}\nnoise\n{"t":"Gr\u00fc\u00dfe"}\r\n\n{"t":"b"}'
    const bytes = Buffer.from(output)
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const reader = new JsonOutput(
        parseExtraction('ndjson:t') as Extraction,
        parseExtraction('ndjson:session') as Extraction,
      )
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
      expect(reader.end()).toMatchObject({ result: 'Gr\u00fc\u00dfe\nb', sessionId: 's1', isJson: true })
    }
  })

  it('may be a document over many lines, in which lines are not read for themselves', () => {
    expect(readIn(['{\n"t":\n{"t":"inner"}\n}'], 'json:t')).toMatchObject({ result: '{"t":"inner"}' })
    expect(readIn(['\ufeff{"t":1}'], 't')).toMatchObject({ result: '1' })
  })

  it('keeps the first session and the last value, or all of them, within bounds', () => {
    const lines = ['{"session":"s1","t":"a"}\n', '{"session":"s2","t":"b"}\n']
    expect(readIn(lines, 'ndjson-last:t')).toMatchObject({ result: 'b', sessionId: 's1' })
    const long = Array.from({ length: 1_000 }, (_, n) => `{"t":"${n} ${'x'.repeat(1_000)}"}\n`)
    const { result = '' } = readIn(long, 'ndjson:t')
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(65_536)
    expect(result.startsWith('0 x') && result.includes('\n999 x')).toBe(true)
  })

  it('passes lines beyond 1 MiB over, and reads those after them', () => {
    const long = `{"t":"${'x'.repeat(2_000_000)}"}\n`
    expect(readIn([long, '{"t":"after"}\n'], 'ndjson:t')).toMatchObject({ result: 'after' })
    expect(readIn([long], 'ndjson:t')).toMatchObject({ tooLong: 'line' })
  })

  it('has nothing of what is no JSON', () => {
    expect(readIn(['plain text\n42\n"t"\n{broken'], 't')).toEqual({ usage: {}, isJson: false })
  })

  it('has no session but one that can be an argument', () => {
    for (const id of ['--help', '', 'a b', 'a\nb', 'x'.repeat(300)]) {
      expect(readIn([JSON.stringify({ session: id })], 't')).not.toHaveProperty('sessionId')
    }
  })
})
