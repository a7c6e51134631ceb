import { expect, test } from 'vitest'
import { lossesListedMax } from '../../src/limits.js'
import { ids } from './support/program-packages.js'
import { readProjectText } from './support/read-document.js'

const read = (inside: string, attributes = 'name="P"') => readProjectText(`<Project ${attributes}>${inside}</Project>`)
const textSource = (inside: string) =>
  `<Sources><TextSource guid="${ids.source}" name="S">${inside}</TextSource></Sources>`

const lost: [string, string, { element: string; guid: string | null; what: string }][] = [
  [
    'an unknown element',
    textSource(`<Mark guid="${ids.note}"><Deep/></Mark>`),
    { element: 'Mark', guid: ids.note, what: 'all of it, for it has no place in TextSource' },
  ],
  [
    'an element elsewhere',
    textSource('<Users/>'),
    { element: 'Users', guid: null, what: 'all of it, for it has no place in TextSource' },
  ],
  [
    'an unknown attribute',
    `<Users><User guid="${ids.note}" mail="x"/></Users>`,
    { element: 'User', guid: ids.note, what: 'its attribute mail, which has no place' },
  ],
  [
    'text between elements',
    textSource('stray'),
    { element: 'TextSource', guid: ids.source, what: 'text between its elements' },
  ],
  [
    'a selection without positions',
    textSource(`<PlainTextSelection guid="${ids.selection}"/>`),
    { element: 'PlainTextSelection', guid: ids.selection, what: 'all of it, for it has no positions' },
  ],
  [
    'a coding without a code',
    textSource(`<Coding guid="${ids.coding}"/>`),
    { element: 'Coding', guid: ids.coding, what: 'all of it, for it names no code' },
  ],
  [
    'a reference to nothing',
    textSource('<NoteRef/>'),
    { element: 'NoteRef', guid: ids.source, what: 'all of it, for it says not to what it refers' },
  ],
  [
    'a colour of words',
    `<CodeBook><Codes><Code guid="${ids.code}" name="a" isCodable="true" color="red"/></Codes></CodeBook>`,
    { element: 'Code', guid: ids.code, what: 'its colour "red", which is not written as #RRGGBB' },
  ],
  [
    'a second description',
    textSource('<Description>a</Description><Description>b</Description>'),
    { element: 'TextSource', guid: ids.source, what: 'its Description after the first (1)' },
  ],
  [
    'a corner of a picture',
    `<Sources><PictureSource guid="${ids.source}"><PictureSelection guid="${ids.selection}" firstX="0" firstY="1"/></PictureSource></Sources>`,
    { element: 'PictureSelection', guid: ids.selection, what: 'all of it, for it has no secondX, secondY' },
  ],
]

test.each(lost)('%s is a loss', async (_what, inside, loss) => {
  expect((await read(inside)).losses.listed).toContainEqual(loss)
})

test('losses beyond those that are listed are counted', async () => {
  const { losses } = await read('<Extra/>'.repeat(lossesListedMax + 5))
  expect([losses.listed.length, losses.count]).toEqual([lossesListedMax, lossesListedMax + 5])
})

test('moments become UTC, and those that are none are lost', async () => {
  const { project, losses } = await read(
    '',
    'name="P" creationDateTime="2024-03-01T01:30:00.25+02:00" modifiedDateTime="2024-02-30T00:00:00Z"',
  )
  expect(project).toMatchObject({ createdAt: '2024-02-29T23:30:00Z', modifiedAt: null })
  expect(losses.listed).toEqual([
    { element: 'Project', guid: null, what: expect.stringContaining('modifiedDateTime "2024-02-30') },
  ])
})

test('identifiers that are no GUIDs become some, and references still meet them', async () => {
  const { project, losses } = await read(
    `<CodeBook><Codes><Code guid="c1" name="a" isCodable="true"/><Code name="b" isCodable="true"/></Codes></CodeBook>${textSource(`<Coding guid="${ids.coding}"><CodeRef targetGUID="c1"/></Coding>`)}`,
  )
  const [first, second] = project.codes
  expect(project.sources[0]?.codings).toMatchObject([{ code: first?.guid }])
  expect(first?.guid).not.toBe(second?.guid)
  expect(losses.listed).toEqual([{ element: 'Code', guid: null, what: 'its identifier "c1", which is no GUID' }])
})

test('a value that is none of its type is kept as text, and said so', async () => {
  const value = (name: string, text: string) =>
    `<VariableValue><VariableRef targetGUID="${ids.variable}"/><${name}>${text}</${name}></VariableValue>`
  const { project, losses } = await read(
    textSource(
      [
        value('IntegerValue', ' 7 '),
        value('BooleanValue', '1'),
        value('DateValue', 'spring'),
        value('FloatValue', ''),
        value('TextValue', ''),
      ].join(''),
    ),
  )
  expect(project.sources[0]?.values.map((one) => one.value)).toEqual([
    { type: 'Integer', text: '7' },
    { type: 'Boolean', text: 'true' },
    { type: 'Text', text: 'spring' },
    null,
    null,
  ])
  expect(losses.count).toBe(1)
})

test('a case without a name that is more than variables of sources gets a name', async () => {
  const inside = `<Cases><Case guid="${ids.case}"><CodeRef targetGUID="${ids.code}"/></Case><Case guid="${ids.note}"><SourceRef targetGUID="${ids.twin}"/></Case></Cases>`
  const { project, losses } = await read(inside)
  expect(project.cases).toMatchObject([
    { guid: ids.case, name: 'Unnamed case 1' },
    { guid: ids.note, name: 'Unnamed case 2' },
  ])
  expect(losses.count).toBe(2)
})

test('a text in the document and in a file is taken from the file', async () => {
  const { project, losses } = await read(
    `<Sources><TextSource guid="${ids.source}" plainTextPath="relative://a.txt"><PlainTextContent>x</PlainTextContent></TextSource></Sources>`,
  )
  expect(project.sources).toMatchObject([{ content: { kind: 'file', path: { kind: 'relative', path: 'a.txt' } } }])
  expect(losses.count).toBe(1)
})
