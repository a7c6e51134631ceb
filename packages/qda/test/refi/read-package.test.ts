import { expect, onTestFinished, test } from 'vitest'
import { RefiPackage } from '../../src/refi/read-package.js'
import { remapPositions } from '../../src/refi/remap-positions.js'
import { rawZip } from './support/hostile-zip.js'
import { atlasPackage, ids, maxqdaPackage, nvivoPackage, qualcoderPackage } from './support/program-packages.js'
import { documentUid } from './support/read-document.js'
import { temporaryFile } from './support/temporary-folder.js'

async function opened(bytes: Buffer): Promise<RefiPackage> {
  const refi = await RefiPackage.open(await temporaryFile(bytes), documentUid)
  onTestFinished(() => refi.close())
  return refi
}

/** The text that the first selection of the first source marks. */
async function markedText(refi: RefiPackage): Promise<string> {
  const [source] = refi.project.sources
  if (source?.kind !== 'text' || source.content === null) throw new Error('no text')
  const { content, selections } = source
  const file = content.kind === 'file' ? await refi.readText(content.path) : null
  if (file?.kind === 'unreadable') throw new Error(file.what)
  const text = file === null && content.kind === 'inline' ? content.text : file!.text
  const lineEnds = content.kind === 'inline' ? 'parsed' : 'as written'
  const [first] = remapPositions({ text, lineEnds, selections, origin: refi.project.origin }).selections
  if (first?.kind !== 'placed') throw new Error('outside')
  return text.replaceAll('\r\n', '\n').replace('\uFEFF', '').slice(first.start, first.end)
}

test('a package of ATLAS.ti counts a line end as one', async () => {
  const refi = await opened(atlasPackage())
  expect(refi.project.codes).toMatchObject([{ guid: ids.code, name: 'Trust', color: '#FF0000' }])
  expect(await markedText(refi)).toBe('two')
  expect(refi.losses.listed).toEqual([])
})

test('a package of MAXQDA has the variables of a source in a case without a name, and remarks', async () => {
  const refi = await opened(maxqdaPackage())
  expect(refi.project.cases).toEqual([])
  expect(refi.project.sources).toMatchObject([
    {
      name: 'Interview',
      values: [{ variable: ids.variable, value: { type: 'Integer', text: '42' } }],
      selections: [{ name: null, description: 'A remark', codings: [] }],
    },
    { name: 'Interview', guid: ids.twin },
  ])
  expect(await markedText(refi)).toBe('one')
  expect(refi.losses.listed).toEqual([])
})

test('a package of NVivo has its folder in the other case, GUIDs in braces and line ends of two', async () => {
  const refi = await opened(nvivoPackage())
  expect(refi.project.sources).toMatchObject([{ guid: ids.source, richTextPath: { path: `${ids.source}.docx` } }])
  expect(await markedText(refi)).toBe('two')
  expect(refi.project.links).toMatchObject([{ direction: 'OneWay', origin: ids.source, target: ids.note }])
  expect(await refi.readText({ kind: 'internal', path: `${ids.note}.txt` })).toEqual({ kind: 'text', text: 'A memo' })
  expect(refi.losses.listed).toEqual([])
})

test('a package of QualCoder has its text in the document; what has no place is a loss', async () => {
  const refi = await opened(qualcoderPackage())
  expect(await markedText(refi)).toBe('two')
  expect(refi.project.graphCount).toBe(1)
  expect(refi.losses.listed).toEqual([
    { element: 'Graph', guid: ids.case, what: expect.stringContaining('its 1 vertices and edges') },
    { element: 'Extra', guid: ids.twin, what: 'all of it, for it has no place in Project' },
  ])
})

test('a file that is missing, binary or outside costs one text', async () => {
  const project = { name: 'project.qde', data: '<Project name="P"/>' }
  const refi = await opened(
    rawZip([
      project,
      { name: 'sources/a.txt', data: Buffer.from([0xff]) },
      { name: 'sources/b.txt', data: 'a\u0000b' },
    ]),
  )
  const what = async (path: string, kind: 'internal' | 'absolute' = 'internal') => await refi.readText({ kind, path })
  expect(await what('a.txt')).toEqual({ kind: 'unreadable', what: 'its file is not UTF-8 text' })
  expect(await what('b.txt')).toEqual({ kind: 'unreadable', what: 'its file has NUL characters' })
  expect(await what('c.txt')).toEqual({ kind: 'unreadable', what: 'the package has no file c.txt' })
  expect(await what('../../etc/passwd')).toMatchObject({ kind: 'unreadable' })
  expect(await what('/etc/passwd', 'absolute')).toMatchObject({ kind: 'unreadable' })
})

test.each([
  ['without a project', [{ name: 'other/project.qde', data: '<Project name="P"/>' }], /no project\.qde at its top/],
  ['of something else', [{ name: 'project.qde', data: '<html/>' }], /begins with <html>/],
  [
    'of another namespace',
    [{ name: 'project.qde', data: '<Project xmlns="urn:other" name="P"/>' }],
    /begins with <Project>/,
  ],
])('a package %s is no project', async (_what, files, message) => {
  await expect(opened(rawZip(files))).rejects.toMatchObject({
    code: 'IMPORT_FAILED/INVALID_FILE',
    message: expect.stringMatching(message),
  })
})
