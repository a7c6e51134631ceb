import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFacts } from '../exchange/support/project-facts.js'
import { fillRichProject } from '../exchange/support/rich-project.js'
import { type RawFile, rawZip } from '../refi/support/hostile-zip.js'
import { atlasPackage, ids, maxqdaPackage, nvivoPackage, qualcoderPackage } from '../refi/support/program-packages.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

function put(qda: QdaForTest, name: string, content: Buffer | string): string {
  const path = join(qda.folder, name)
  writeFileSync(path, content)
  return path
}

const everything = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort()

describe('packages of other programs become projects', () => {
  async function imported(content: Buffer) {
    const qda = await openQdaForTest()
    const answer = await qda.call('import_qdpx', { path: put(qda, 'foreign.qdpx', content) })
    expect(answer, JSON.stringify(answer)).toMatchObject({ success: true })
    const facts = projectFacts(qda.db(answer['data'].project_path))
    await qda[Symbol.asyncDispose]()
    return { data: answer['data'], facts }
  }

  test.each([
    ['ATLAS.ti, which counts CRLF as one', atlasPackage],
    ['NVivo, which counts it as two', nvivoPackage],
    ['QualCoder, with the text in the document', qualcoderPackage],
  ] as const)('%s', async (_, pack) => {
    const { facts, data } = await imported(pack())
    expect(facts['codings']).toMatchObject([{ source: 'Doc', code: 'Trust', pos0: 4, pos1: 7, seltext: 'two' }])
    expect(facts['sources']).toMatchObject([{ name: 'Doc', fulltext: 'one\ntwo' }])
    expect(facts['codes']).toMatchObject([{ name: 'Trust', color: '#FF0000' }])
    expect(data).toMatchObject({ target: 'new', opened: true, counts: { codings: 1, sources: 1 } })
  })

  test('NVivo: the docx comes along, the note becomes a journal, and its link is a loss', async () => {
    const { facts, data } = await imported(nvivoPackage())
    expect(facts['sources']).toMatchObject([{ mediapath: '/docs/Doc.docx' }])
    expect(facts['journals']).toMatchObject([{ name: 'Memo', jentry: 'A memo' }])
    expect(data.losses).toContainEqual(expect.objectContaining({ element: 'Link' }))
  })

  test('MAXQDA: names get numbers, variables of a source are its own, a remark is an annotation', async () => {
    const { facts } = await imported(maxqdaPackage())
    expect(facts['sources']).toMatchObject([{ name: 'Interview' }, { name: 'Interview (2)' }])
    expect(facts['values']).toContainEqual({ name: 'Age', attr_type: 'file', value: '42', whose: 'Interview' })
    expect(facts['variables']).toMatchObject([{ name: 'Age', caseOrFile: 'file', valuetype: 'numeric' }])
    expect(facts['annotations']).toMatchObject([{ source: 'Interview', pos0: 0, pos1: 3, memo: 'A remark' }])
    expect(facts['cases']).toEqual([])
  })

  test('QualCoder: what has no place is listed', async () => {
    const { data } = await imported(qualcoderPackage())
    const elements = data.losses.map(({ element }: { element: string }) => element)
    expect(elements).toEqual(expect.arrayContaining(['Graph', 'Extra']))
    expect(data.loss_count).toBe(data.losses.length)
  })
})

describe('packages that are refused leave nothing behind', () => {
  const project = (inside: string) => `<Project xmlns="urn:QDA-XML:project:1.0" name="P">${inside}</Project>`
  const document = (data: string): RawFile => ({ name: 'project.qde', data })
  const text = `<Sources><TextSource guid="${ids.source}" name="a" plainTextPath="internal://a.txt"/><PDFSource guid="${ids.twin}" name="b" path="internal://b.pdf"/></Sources>`
  const bombs: [string, readonly RawFile[]][] = [
    ['a name that leads out', [document(project('')), { name: 'sources/../../evil.txt', data: 'x' }]],
    ['a link', [document(project('')), { name: 'sources/a', data: '/etc/passwd', mode: 0o120777 }]],
    ['a bomb', [document(project('')), { name: 'sources/a', data: Buffer.alloc(4 * 1024 * 1024) }]],
    [
      'an entity',
      [document(`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${project('<Description>&x;</Description>')}`)],
    ],
    ['half a document', [document('<Project xmlns="urn:QDA-XML:project:1.0" name="P"><Sources>')]],
    ['a damaged text', [document(project(text)), { name: 'sources/a.txt', data: 'text', saysChecksum: 1 }]],
    [
      'a damaged recording',
      [
        document(project(text)),
        { name: 'sources/a.txt', data: 'text' },
        { name: 'sources/b.pdf', data: 'bytes', saysChecksum: 1 },
      ],
    ],
  ]

  test.each(bombs)('%s', async (_, files) => {
    await using qda = await openQdaForTest()
    const path = await qda.openProject('Mine')
    const file = put(qda, 'bad.qdpx', rawZip(files))
    const before = everything(qda.folder)
    const facts = projectFacts(qda.db(path))
    for (const args of [
      { path: file },
      { path: file, dry_run: true },
      { path: file, target: 'current', confirm: true },
    ]) {
      const answer = await qda.call('import_qdpx', args)
      expect(answer).toMatchObject({ success: false, error_code: expect.stringMatching(/^IMPORT_FAILED\//) })
    }
    expect(everything(qda.folder).filter((name) => !name.endsWith('callboard_trash'))).toEqual(before)
    expect(projectFacts(qda.db(path))).toEqual(facts)
  })
})

describe('into the open project', () => {
  async function exported(qda: QdaForTest): Promise<string> {
    const path = qda.makeProject('Rich')
    fillRichProject(path, qda.db(path))
    await qda.call('open_project', { path })
    const file = join(qda.folder, 'rich.qdpx')
    expect(await qda.call('export_qdpx', { path: file })).toMatchObject({ success: true })
    return file
  }

  test('it shows first what it would do, does it once it is confirmed, and is undone as a whole', async () => {
    await using qda = await openQdaForTest()
    const file = await exported(qda)
    const path = await qda.openProject('Mine')
    const db = qda.db(path)
    db.exec(
      "INSERT INTO code_name (name, memo, color) VALUES ('LONE', 'mine', '#F7D358'); INSERT INTO source (name, fulltext) VALUES ('Plain.TXT', 'x')",
    )
    const before = projectFacts(db)
    const shown = await qda.call('import_qdpx', { path: file, target: 'current' })
    expect(shown).toMatchObject({
      success: true,
      data: { preview: true, requires_approval: true, counts: { codings: 16 } },
    })
    expect(projectFacts(db)).toEqual(before)
    const { preview_token } = shown['data']
    const done = await qda.call('import_qdpx', { path: file, target: 'current', confirm: true, preview_token })
    expect(done, JSON.stringify(done)).toMatchObject({
      data: { counts: { codings: 16, codes: 2, files: 4 }, joined: { codes: 1 } },
    })
    expect(projectFacts(db)['codes']).toMatchObject([
      { name: 'Glee' },
      { name: 'Joy & "joy"' },
      { name: 'LONE', memo: 'mine' },
    ])
    expect(projectFacts(db)['sources']).toContainEqual(expect.objectContaining({ name: 'plain (2).txt' }))
    expect(readFileSync(join(path, 'images', 'photo.png'), 'utf8')).toBe('bytes of photo.png')
    await qda.call('undo_change_set', { change_set_id: done['data'].change_set_id })
    expect(projectFacts(db)).toEqual(before)
    expect(existsSync(join(path, 'images', 'photo.png'))).toBe(false)
  })

  test('a preview and a dry run change neither rows nor files', async () => {
    await using qda = await openQdaForTest()
    const file = await exported(qda)
    await qda.openProject('Mine')
    await qda.call('list_codes')
    const before = everything(qda.folder)
    await qda.call('import_qdpx', { path: file, target: 'current' })
    const dry = await qda.call('import_qdpx', { path: file, target: 'current', confirm: true, dry_run: true })
    expect(dry).toMatchObject({ success: true, data: { dry_run: true, counts: { sources: 9 } } })
    expect(everything(qda.folder)).toEqual(before)
  })

  test('the same package twice: names of sources get numbers, all else is joined, and both leave with GUIDs of their own', async () => {
    await using qda = await openQdaForTest()
    const file = await exported(qda)
    const answer = await qda.call('import_qdpx', { path: file, target: 'current', confirm: true })
    expect(answer, JSON.stringify(answer)).toMatchObject({
      data: {
        counts: { codes: 0, categories: 0, cases: 0, variables: 0 },
        joined: { codes: 3, categories: 3, cases: 2 },
      },
    })
    const again = join(qda.folder, 'again.qdpx')
    expect(await qda.call('export_qdpx', { path: again })).toMatchObject({
      success: true,
      data: { counts: { sources: 18 } },
    })
    const copy = await qda.call('import_qdpx', { path: again })
    expect(copy).toMatchObject({ success: true, data: { counts: { sources: 18, codings: 32 } } })
  })

  test('project_path is refused, and so is the whole call without an open project', async () => {
    await using qda = await openQdaForTest()
    const file = await exported(qda)
    expect(await qda.call('import_qdpx', { path: file, target: 'current', project_path: '/a.qda' })).toMatchObject({
      error_code: 'INVALID_ARGUMENT',
    })
    await qda.call('close_project')
    expect(await qda.call('import_qdpx', { path: file, target: 'current' })).toMatchObject({ error_code: 'NO_PROJECT' })
  })
})

describe('as a new project', () => {
  test('it is not made over something, nor outside of the roots, and repeats have one effect', async () => {
    await using qda = await openQdaForTest()
    const file = put(qda, 'a.qdpx', atlasPackage())
    const first = await qda.call('import_qdpx', { path: file, request_id: 'one' })
    expect(first).toMatchObject({ success: true, data: { project_path: join(qda.folder, 'a.qda') } })
    expect(await qda.call('import_qdpx', { path: file, request_id: 'one' })).toMatchObject({ data: { replayed: true } })
    expect(await qda.call('import_qdpx', { path: file })).toMatchObject({ error_code: 'PROJECT_NOT_CREATED/EXISTS' })
    expect(await qda.call('get_project_context')).toMatchObject({ data: { project_name: 'a', source_count: 1 } })
    await using fenced = await openQdaForTest({ config: { roots: ['/nowhere/else'] } })
    expect(await fenced.call('import_qdpx', { path: file })).toMatchObject({
      error_code: 'IMPORT_FAILED/FORBIDDEN_PATH',
    })
  })

  test('a dry run counts all and makes nothing', async () => {
    await using qda = await openQdaForTest()
    const file = put(qda, 'a.qdpx', atlasPackage())
    const before = everything(qda.folder)
    const answer = await qda.call('import_qdpx', { path: file, dry_run: true })
    expect(answer).toMatchObject({ success: true, data: { dry_run: true, counts: { codings: 1 } } })
    expect(everything(qda.folder)).toEqual(before)
  })
})
