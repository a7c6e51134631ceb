import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jupyterHeaderBytesMax } from '../src/limits.js'
import { readContent } from '../src/runtime/jupyter/contents.js'
import { decodeMessage, encodeMessage, type WireMessage } from '../src/runtime/jupyter/wire.js'

const key = 'a secret'

function message(parts: Partial<WireMessage> = {}): WireMessage {
  const header = { msg_id: 'm1', msg_type: 'status', session: 's', username: 'u', date: 'd', version: '5.3' }
  return {
    identities: [],
    header,
    parentHeader: undefined,
    metadata: {},
    content: { execution_state: 'idle' },
    buffers: [],
    ...parts,
  }
}

const json = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
)
// An identity that is the delimiter would end the identities.
const bytes = fc.uint8Array({ maxLength: 8 })

describe('a message of Jupyter’s wire protocol', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(
        fc.array(bytes, { maxLength: 3 }),
        json,
        json,
        fc.array(bytes),
        (identities, metadata, content, buffers) => {
          const sent = message({ identities, metadata, content, buffers, parentHeader: message().header })
          const decoded = decodeMessage(encodeMessage(sent, key), key)
          expect(decoded).toMatchObject({ kind: 'message' })
          if (decoded.kind !== 'message') return
          expect(JSON.stringify(decoded.message.content)).toBe(JSON.stringify(content))
          expect(JSON.stringify(decoded.message.metadata)).toBe(JSON.stringify(metadata))
          expect(decoded.message.identities).toEqual(identities)
          expect(decoded.message.buffers).toEqual(buffers)
          expect(decoded.message.parentHeader).toEqual(message().header)
        },
      ),
    )
  })

  it('is signed over its four parts in hexadecimal HMAC-SHA256, after the delimiter', () => {
    const frames = encodeMessage(message({ identities: [Buffer.from('me')] }), key).map((frame) => Buffer.from(frame))
    expect(frames.map(String).slice(0, 2)).toEqual(['me', '<IDS|MSG>'])
    expect(String(frames[2])).toBe('51759ae32348115fba2e990d26b35be3c607318ae5017a289c36bc1e8e3105f8')
    expect(frames.slice(3).map(String)).toEqual([
      JSON.stringify(message().header),
      '{}',
      '{}',
      '{"execution_state":"idle"}',
    ])
  })

  it('is refused when one byte of it was changed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (frame, position, difference) => {
        const frames = encodeMessage(message(), key).map((part) => Buffer.from(part))
        const changed = frames[frame % frames.length]!
        changed[position % changed.length]! ^= difference
        expect(decodeMessage(frames, key).kind).toBe('fault')
      }),
    )
  })

  it('of another key, or of none, is refused', () => {
    expect(decodeMessage(encodeMessage(message(), 'another'), key)).toEqual({ kind: 'fault', fault: 'bad_signature' })
    const unsigned = encodeMessage(message(), key).map((frame, at) => (at === 1 ? Buffer.alloc(0) : frame))
    expect(decodeMessage(unsigned, key)).toEqual({ kind: 'fault', fault: 'bad_signature' })
  })

  it('of any frames is a message or a fault, never an exception', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.json().map(Buffer.from),
      fc.constant(Buffer.from('<IDS|MSG>')),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (frames) => {
        expect(decodeMessage(frames, key).kind).toBe('fault')
      }),
    )
  })

  it('says what is wrong with it', () => {
    const encoded = encodeMessage(message(), key)
    expect(decodeMessage([], key)).toMatchObject({ fault: 'no_delimiter' })
    expect(decodeMessage([...Array(20).fill(Buffer.from('x')), ...encoded], key)).toMatchObject({
      fault: 'no_delimiter',
    })
    expect(decodeMessage(encoded.slice(0, 5), key)).toMatchObject({ fault: 'too_few_frames' })
    const long = message({ header: { ...message().header, msg_id: 'x'.repeat(jupyterHeaderBytesMax) } })
    expect(decodeMessage(encodeMessage(long, key), key)).toMatchObject({ fault: 'too_large' })
    const list = message({ content: [] as never })
    expect(decodeMessage(encodeMessage(list, key), key)).toMatchObject({ fault: 'bad_json' })
    const nameless = message({ header: { ...message().header, msg_id: 7 as never } })
    expect(decodeMessage(encodeMessage(nameless, key), key)).toMatchObject({ fault: 'bad_header' })
  })
})

describe('the content of a message', () => {
  const read = (msg_type: string, content: WireMessage['content']) =>
    readContent(message({ header: { ...message().header, msg_type }, content }))

  it('is what its type demands, or is ignored', () => {
    expect(read('stream', { name: 'stdout', text: 'hi' })).toMatchObject({ type: 'stream', pieces: ['hi'] })
    expect(read('stream', { name: 'stdin', text: 'hi' })).toBeUndefined()
    expect(read('display_data', { data: [] })).toBeUndefined()
    expect(read('constructor', {})).toBeUndefined()
    expect(read('comm_open', {})).toBeUndefined()
  })

  it('may leave out what kernels in use leave out', () => {
    expect(read('execute_reply', { status: 'abort' })).toMatchObject({ ename: '', traceback: [] })
    expect(read('display_data', { data: {}, metadata: [] })).toMatchObject({ bundle: { data: {}, metadata: {} } })
    expect(read('error', { ename: 'E', evalue: null, traceback: 'one line' })).toMatchObject({
      evalue: '',
      traceback: ['one line'],
    })
  })

  it('of any JSON never throws', () => {
    const types = ['status', 'stream', 'execute_result', 'error', 'execute_reply', 'kernel_info_reply', 'input_request']
    fc.assert(fc.property(fc.constantFrom(...types), json, (type, content) => void read(type, content)))
  })
})
