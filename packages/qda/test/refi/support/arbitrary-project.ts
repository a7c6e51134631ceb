import fc from 'fast-check'
import type {
  RefiCode,
  RefiCodebook,
  RefiCoding,
  RefiContent,
  RefiPath,
  RefiProject,
  RefiSelection,
  RefiSource,
  RefiText,
  RefiTranscript,
} from '../../../src/refi/model.js'

/** Projects as an import would make them: everything that a document can hold, and nothing that reading would change. */

const special = [
  'a',
  'Z',
  ' ',
  '&',
  '<',
  '>',
  '"',
  "'",
  ']]>',
  '\n',
  '\t',
  '\r',
  '\u2029',
  '😀',
  '👩‍👩‍👧',
  'é',
  '中文',
  'שלום',
  '\u0085',
]

/** Not empty, for an empty one is none. */
export const someText = fc.string({ unit: fc.constantFrom(...special), minLength: 1, maxLength: 8 })
export const guid = fc.uuid()

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const few = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { maxLength: 2 })
const moment = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`)
const color = fc.constantFrom('#FF0000', '#00AB0C')
const authorship = {
  creatingUser: maybe(guid),
  createdAt: maybe(moment),
  modifyingUser: maybe(guid),
  modifiedAt: maybe(moment),
}

const coding: fc.Arbitrary<RefiCoding> = fc.record({
  guid,
  code: guid,
  creatingUser: maybe(guid),
  createdAt: maybe(moment),
  noteRefs: few(guid),
})
const selectionParts = {
  guid,
  name: maybe(someText),
  ...authorship,
  description: maybe(someText),
  codings: few(coding),
  noteRefs: few(guid),
} satisfies { [Key in keyof RefiSelection]: fc.Arbitrary<RefiSelection[Key]> }

const value = fc.oneof(
  someText.map((text) => ({ type: 'Text' as const, text })),
  fc.boolean().map((truth) => ({ type: 'Boolean' as const, text: String(truth) })),
  fc.integer().map((number) => ({ type: 'Integer' as const, text: String(number) })),
  fc.integer().map((number) => ({ type: 'Float' as const, text: `${number}.5` })),
  moment.map((text) => ({ type: 'Date' as const, text: text.slice(0, 10) })),
  moment.map((text) => ({ type: 'DateTime' as const, text })),
)
const variableValue = fc.record({ variable: guid, value: maybe(value) })
const sourceParts = {
  guid,
  name: maybe(someText),
  ...authorship,
  description: maybe(someText),
  codings: few(coding),
  noteRefs: few(guid),
  values: few(variableValue),
}

const path = (ending: string): fc.Arbitrary<RefiPath> =>
  fc.record({
    kind: fc.constantFrom('internal', 'relative', 'absolute'),
    path: guid.map((name) => `${name}.${ending}`),
  })
const internalPath = guid.map((name): RefiPath => ({ kind: 'internal', path: `${name}.txt` }))
const content = internalPath.map((file): RefiContent => ({ kind: 'file', path: file }))

const textParts = {
  ...sourceParts,
  content: maybe(content),
  richTextPath: maybe(path('docx')),
  selections: few(fc.record({ ...selectionParts, start: fc.nat(), end: fc.nat() })),
}
const textHolder: fc.Arbitrary<RefiText> = fc.record(textParts)
const corners = { firstX: fc.integer(), firstY: fc.nat(), secondX: fc.nat(), secondY: fc.nat() }
const transcript: fc.Arbitrary<RefiTranscript> = fc.record({
  guid,
  name: maybe(someText),
  ...authorship,
  description: maybe(someText),
  content: maybe(content),
  richTextPath: maybe(path('rtf')),
  syncPoints: few(fc.record({ guid, timeStamp: maybe(fc.nat()), position: maybe(fc.nat()) })),
  selections: few(fc.record({ ...selectionParts, from: maybe(guid), to: maybe(guid) })),
  noteRefs: few(guid),
})
const mediaParts = { ...sourceParts, path: maybe(path('mp3')), currentPath: maybe(path('mp3')) }

export const arbitrarySource: fc.Arbitrary<RefiSource> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), ...textParts }),
  fc.record({
    kind: fc.constant('picture' as const),
    ...mediaParts,
    textDescription: maybe(textHolder),
    selections: few(fc.record({ ...selectionParts, ...corners })),
  }),
  fc.record({
    kind: fc.constant('pdf' as const),
    ...mediaParts,
    selections: few(fc.record({ ...selectionParts, ...corners, page: fc.nat(), representation: maybe(textHolder) })),
    representation: maybe(textHolder),
  }),
  fc.record({
    kind: fc.constantFrom('audio' as const, 'video' as const),
    ...mediaParts,
    transcripts: few(transcript),
    selections: few(fc.record({ ...selectionParts, begin: fc.nat(), end: fc.nat() })),
  }),
)

const codeParts = { guid, name: someText, isCodable: fc.boolean(), color: maybe(color), description: maybe(someText) }
const codeOf = (notes: fc.Arbitrary<string[]>, levels = 3): fc.Arbitrary<RefiCode> =>
  fc.record({ ...codeParts, noteRefs: notes, codes: levels === 0 ? fc.constant([]) : few(codeOf(notes, levels - 1)) })

const setParts = { guid, name: someText, description: maybe(someText), codes: few(guid) }

export const arbitraryProject: fc.Arbitrary<RefiProject> = fc.record({
  ...authorship,
  name: someText,
  origin: maybe(someText),
  basePath: maybe(someText),
  users: few(fc.record({ guid, name: maybe(someText), id: maybe(someText) })),
  codes: few(codeOf(few(guid))),
  variables: few(
    fc.record({
      guid,
      name: someText,
      type: fc.constantFrom('Text', 'Boolean', 'Integer', 'Float', 'Date', 'DateTime'),
      description: maybe(someText),
    }),
  ),
  cases: few(
    fc.record({
      guid,
      name: someText,
      description: maybe(someText),
      codes: few(guid),
      values: few(variableValue),
      sources: few(guid),
      selections: few(guid),
    }),
  ),
  sources: few(arbitrarySource),
  notes: few(textHolder),
  links: few(
    fc.record({
      guid,
      name: maybe(someText),
      direction: maybe(fc.constantFrom('Associative' as const, 'OneWay' as const, 'Bidirectional' as const)),
      color: maybe(color),
      origin: maybe(guid),
      target: maybe(guid),
      noteRefs: few(guid),
    }),
  ),
  sets: few(fc.record({ ...setParts, sources: few(guid), notes: few(guid) })),
  graphCount: fc.constant(0),
  description: maybe(someText),
  noteRefs: few(guid),
})

/** Codebooks have neither notes nor anything but codes in their sets. */
export const arbitraryCodebook: fc.Arbitrary<RefiCodebook> = fc.record({
  origin: maybe(someText),
  codes: fc.array(codeOf(fc.constant([])), { minLength: 1, maxLength: 3 }),
  sets: few(fc.record({ ...setParts, sources: fc.constant([]), notes: fc.constant([]) })),
})
