import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QdaFailure } from '../../src/failure.js'
import { xmlAttributeLengthMax, xmlAttributesMax, xmlDepthMax, xmlTextLengthMax } from '../../src/limits.js'
import { readXml, type XmlHandler } from '../../src/refi/read-xml.js'

class Recorder implements XmlHandler {
  readonly events: string[] = []
  open({ name, attributes }: Parameters<XmlHandler['open']>[0]): void {
    this.events.push(`<${name}${[...attributes].map(([key, value]) => ` ${key}=${value}`).join('')}`)
  }
  text(text: string): void {
    this.events.push(text)
  }
  close(): void {
    this.events.push('>')
  }
}

async function eventsOf(document: string | Uint8Array, step = 1_000_000): Promise<string> {
  const bytes = Buffer.from(document)
  const recorder = new Recorder()
  const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  )
  await readXml(chunks, recorder, 'It')
  return recorder.events.join('')
}

test('a document is the same however it is cut into chunks', async () => {
  const document = '<?xml version="1.0" encoding="utf-8"?><a b="é😀"><!-- no --><c/>x &amp; <![CDATA[<y>]]></a>'
  const whole = await eventsOf(document)
  expect(whole).toBe('<a b=é😀<c>x & <y>>')
  for (const step of [1, 2, 3, 7]) expect(await eventsOf(document, step)).toBe(whole)
})

test('a byte order mark is skipped, and attributes of other namespaces too', async () => {
  expect(await eventsOf('\uFEFF<a xmlns:x="urn:x" x:y="1" z="2"/>')).toBe('<a z=2>')
})

const bad: [string, string | Uint8Array, string, RegExp][] = [
  ['a document type', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 'REFUSED', /document type/],
  ['a bare document type', '<!DOCTYPE a><a/>', 'REFUSED', /document type/],
  ['an unknown entity', '<a>&x;</a>', 'INVALID_FILE', /well-formed/],
  ['an unclosed element', '<a><b></a>', 'INVALID_FILE', /well-formed/],
  ['no end', '<a><b>', 'INVALID_FILE', /well-formed/],
  ['nothing', '', 'INVALID_FILE', /well-formed/],
  ['an unknown prefix', '<x:a/>', 'INVALID_FILE', /well-formed/],
  ['bytes that are not UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0xfe]), 'INVALID_FILE', /not UTF-8/],
  ['UTF-16', Buffer.from('\uFEFF<a/>', 'utf16le'), 'INVALID_FILE', /UTF-16/],
  ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>', 'INVALID_FILE', /ISO-8859-1/],
  ['deep nesting', '<a>'.repeat(xmlDepthMax + 1), 'TOO_LARGE', /deep/],
  [
    'many attributes',
    `<a ${Array.from({ length: xmlAttributesMax + 1 }, (_, index) => `a${index}=""`).join(' ')}/>`,
    'TOO_LARGE',
    /attributes/,
  ],
  ['a long attribute', `<a b="${'x'.repeat(xmlAttributeLengthMax + 1)}"/>`, 'TOO_LARGE', /attribute of more/],
  ['a comment without end', `<a><!--${'x'.repeat(xmlTextLengthMax + 100_000)}`, 'TOO_LARGE', /between tags/],
]

test.each(bad)('%s is refused', async (_what, document, code, message) => {
  await expect(eventsOf(document)).rejects.toMatchObject({
    code: `IMPORT_FAILED/${code}`,
    message: expect.stringMatching(message),
  })
})

test('whatever the bytes, a document is read or refused with a sentence', async () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<',
    '>',
    '&',
    '&#0;',
    '"',
    '<!--',
    ']]>',
    '<?',
    'x',
    '<b c="d"',
    '/>',
    '\u0000',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const outcome = await eventsOf(pieces.join('')).catch((error: unknown) => error)
      if (typeof outcome !== 'string') expect(outcome).toBeInstanceOf(QdaFailure)
    }),
  )
})
