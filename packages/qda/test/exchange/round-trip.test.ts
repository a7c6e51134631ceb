import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { structureProblems } from '../refi/support/structure-validator.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { documentOf, fileOf, modelOf } from './support/open-package.js'
import { projectFacts } from './support/project-facts.js'
import { fillRichProject } from './support/rich-project.js'

async function richProject(qda: QdaForTest, options = {}): Promise<string> {
  const path = qda.makeProject('Rich')
  fillRichProject(path, qda.db(path), options)
  await succeed(qda, 'open_project', { path })
  return path
}

async function succeed(qda: QdaForTest, tool: string, args: object) {
  const answer = await qda.call(tool, args)
  expect(answer, JSON.stringify(answer)).toMatchObject({ success: true })
  return answer['data']
}

/** Without what an export leaves out on purpose. */
function visibleFacts(facts: ReturnType<typeof projectFacts>) {
  const isShown = (row: unknown) => (row as { owner?: string }).owner !== 'hidden hal'
  const isLinked = (row: unknown) => (row as { mediapath?: string }).mediapath !== undefined
  return { ...facts, codings: facts['codings']!.filter(isShown), sources: facts['sources']!.filter(isLinked) }
}

describe.each(['lf', 'crlf'] as const)('a project that leaves with %s and comes back as a new one', (line_endings) => {
  test('says the same, but for what is private, hidden, or not for XML', async () => {
    await using qda = await openQdaForTest()
    const path = await richProject(qda)
    const file = join(qda.folder, 'out.qdpx')
    const { losses } = await succeed(qda, 'export_qdpx', { path: file, line_endings })
    const { project_path } = await succeed(qda, 'import_qdpx', { path: file })
    expect(project_path).toBe(join(qda.folder, 'out.qda'))
    const replaced = JSON.stringify(visibleFacts(projectFacts(qda.db(path)))).replace(/\\u000[12]/g, '\ufffd')
    expect(visibleFacts(projectFacts(qda.db(project_path)))).toEqual(JSON.parse(replaced))
    expect(losses.map(({ what }: { what: string }) => what)).toContainEqual(
      expect.stringMatching(/^1 characters of its text/),
    )
  })

  test('has the same GUIDs, texts and positions when it leaves again', async () => {
    await using qda = await openQdaForTest()
    await richProject(qda, { foreignLineEnds: true })
    const first = join(qda.folder, 'Rich.qdpx')
    const second = join(qda.folder, 'Again.qdpx')
    await succeed(qda, 'export_qdpx', { path: first, line_endings })
    await succeed(qda, 'import_qdpx', { path: first, project_path: join(qda.folder, 'Copy', '..', 'Rich2.qda') })
    await succeed(qda, 'export_qdpx', { path: second, line_endings })
    const [one, other] = [await documentOf(first), await documentOf(second)]
    expect(other.replace('name="Rich2"', 'name="Rich"')).toBe(one)
    expect((await modelOf(second)).texts).toEqual((await modelOf(first)).texts)
  })
})

test('an export is valid, has no byte order mark, and names rich text only where it is', async () => {
  await using qda = await openQdaForTest()
  await richProject(qda, { foreignLineEnds: true })
  const file = join(qda.folder, 'out.qdpx')
  const { counts } = await succeed(qda, 'export_qdpx', { path: file, line_endings: 'crlf' })
  const document = await documentOf(file)
  expect(structureProblems(document)).toEqual([])
  expect(document.match(/richTextPath="[^"]*"/g)).toEqual([expect.stringMatching(/\.docx"$/)])
  expect(counts).toMatchObject({ sources: 11, codes: 3, categories: 3, cases: 2, journals: 1, files: 4, variables: 3 })
  const { texts, project } = await modelOf(file)
  expect(texts.get('crlf.txt')).toBe('one\r\ntwo 🥕\r\nthree')
  expect(texts.get('plain.txt')).not.toContain('\n')
  const marked = project.sources.find(({ name }) => name === 'marked.txt')!
  const bytes = await fileOf(file, `sources/${marked.guid}.txt`)
  expect(bytes.toString('latin1')).toBe('marked\r\nlast')
  const photo = project.sources.find(({ name }) => name === 'photo.png')!
  expect((await fileOf(file, `sources/${photo.guid}.png`)).toString()).toBe('bytes of photo.png')
})

test('what is private or hidden leaves for nobody but the operator, and private memos not even then', async () => {
  await using qda = await openQdaForTest()
  await richProject(qda)
  const file = join(qda.folder, 'out.qdpx')
  await succeed(qda, 'export_qdpx', { path: file })
  const document = await documentOf(file)
  expect(document).not.toMatch(/#####|secret|private|never|mine|hidden/)
  await qda.call('open_project', { path: join(qda.folder, 'Rich.qda') }, { session: 'o' })
  const operator = { session: 'o', principal: 'operator:ann', roles: ['operator'] }
  await qda.call('export_qdpx', { path: file, overwrite: true }, operator as never)
  const all = await documentOf(file)
  expect(all).toContain('hidden hal')
  expect(all).not.toMatch(/#####|secret|private|never|mine/)
})

test('positions of texts with CRLF count one for each line end', async () => {
  await using qda = await openQdaForTest()
  const path = await qda.openProject('Ends')
  const db = qda.db(path)
  db.exec(`INSERT INTO source (id, name, fulltext, owner, date) VALUES (1, 'a.txt', char(65279) || 'one' || char(13, 10) || '🥕wo' || char(13, 10) || 'end', 'ada', '2026-03-02 12:00:00');
    INSERT INTO code_name (cid, name, color) VALUES (1, 'c', '#F7D358');
    INSERT INTO code_text (cid, fid, seltext, pos0, pos1, owner) VALUES (1, 1, '🥕wo', 6, 9, 'ada'), (1, 1, 'end', 11, 14, 'ada'), (1, 1, '🥕', 6, 8, 'bob')`)
  for (const line_endings of ['lf', 'crlf']) {
    const file = join(qda.folder, `${line_endings}.qdpx`)
    await succeed(qda, 'export_qdpx', { path: file, line_endings })
    const { project } = await modelOf(file)
    const places = project.sources[0]!.selections.map((selection) => [
      'start' in selection && selection.start,
      'end' in selection && selection.end,
    ])
    // The third was stored in UTF-16 units.
    expect(places).toEqual([
      [4, 5],
      [4, 7],
      [8, 11],
    ])
  }
})

test.each([0, 1, 1_000])('%i sources', async (count) => {
  await using qda = await openQdaForTest()
  const path = await qda.openProject('Many')
  const db = qda.db(path)
  const insert = db.prepare(
    "INSERT INTO source (name, fulltext, owner, date) VALUES (?, ?, 'ada', '2026-03-02 12:00:00')",
  )
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) insert.run(`${index}.txt`, `text ${index} 🥕`)
  })()
  const file = join(qda.folder, 'many.qdpx')
  const exported = await succeed(qda, 'export_qdpx', { path: file })
  expect(exported).toMatchObject({ counts: { sources: count }, loss_count: 0 })
  expect(structureProblems(await documentOf(file))).toEqual([])
  const { counts, project_path, source_count } = await succeed(qda, 'import_qdpx', { path: file })
  expect([counts.sources, source_count]).toEqual([count, count])
  expect(projectFacts(qda.db(project_path))['sources']).toEqual(
    projectFacts(db)['sources']!.map((row) => ({ ...(row as object), memo: '' })),
  )
})
