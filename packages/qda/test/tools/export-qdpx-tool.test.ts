import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { documentOf } from '../exchange/support/open-package.js'
import { projectFacts } from '../exchange/support/project-facts.js'
import { fillRichProject } from '../exchange/support/rich-project.js'
import { taguetteCodebook } from '../refi/support/program-packages.js'
import { structureProblems } from '../refi/support/structure-validator.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

async function openRich(qda: QdaForTest): Promise<string> {
  const path = qda.makeProject('Rich')
  fillRichProject(path, qda.db(path))
  expect(await qda.call('open_project', { path })).toMatchObject({ success: true })
  return path
}

test('a project that can only be read leaves as well, and has the same GUIDs each time', async () => {
  await using qda = await openQdaForTest()
  const path = qda.makeProject('Old')
  fillRichProject(path, qda.db(path))
  qda.db(path).exec("UPDATE project SET databaseversion = 'v99'")
  expect(await qda.call('open_project', { path })).toMatchObject({ success: true, data: { read_only: true } })
  const files = ['one.qdpx', 'two.qdpx'].map((name) => join(qda.folder, name))
  for (const file of files) expect(await qda.call('export_qdpx', { path: file })).toMatchObject({ success: true })
  expect(await documentOf(files[1]!)).toBe(await documentOf(files[0]!))
  expect(await qda.call('export_qdc', { path: join(qda.folder, 'codes.qdc') })).toMatchObject({ success: true })
})

test('a file that is there stays, unless it may be overwritten; a dry run writes none', async () => {
  await using qda = await openQdaForTest()
  await openRich(qda)
  const path = join(qda.folder, 'out.qdpx')
  const dry = await qda.call('export_qdpx', { path, dry_run: true })
  expect(dry).toMatchObject({ success: true, data: { dry_run: true, bytes: null, counts: { codings: 16 } } })
  expect(existsSync(path)).toBe(false)
  const written = await qda.call('export_qdpx', { path })
  expect(written['data'].losses).toEqual(dry['data'].losses)
  expect(await qda.call('export_qdpx', { path })).toMatchObject({ error_code: 'EXPORT_FAILED/EXISTS' })
  expect(await qda.call('export_qdpx', { path, overwrite: true })).toMatchObject({ success: true })
  expect(readdirSync(qda.folder).filter((name) => name.includes('.part'))).toEqual([])
})

test.each([
  ['a relative path', 'out.qdpx'],
  ['another ending', '/tmp/out.zip'],
  ['a folder that is not there', '/nowhere/at/all/out.qdpx'],
])('%s is refused', async (_, path) => {
  await using qda = await openQdaForTest()
  await openRich(qda)
  expect(await qda.call('export_qdpx', { path })).toMatchObject({ error_code: 'EXPORT_FAILED/INVALID_PATH' })
})

test('files outside of the roots are never written', async () => {
  await using qda = await openQdaForTest()
  const config = { roots: [qda.folder] }
  await using fenced = await openQdaForTest({ config })
  const path = qda.makeProject('Rich')
  expect(await fenced.call('open_project', { path })).toMatchObject({ success: true })
  for (const tool of ['export_qdpx', 'export_qdc']) {
    const file = join(fenced.folder, `out.${tool.slice(7)}`)
    expect(await fenced.call(tool, { path: file })).toMatchObject({ error_code: 'EXPORT_FAILED/FORBIDDEN_PATH' })
  }
})

test('without its files a package names them, and what is missing or a link is never opened', async () => {
  await using qda = await openQdaForTest()
  const project = await openRich(qda)
  const file = join(qda.folder, 'out.qdpx')
  await qda.call('export_qdpx', { path: file, include_media: false })
  expect(await documentOf(file)).toContain('path="relative://images/photo.png"')
  writeFileSync(join(qda.folder, 'secret'), 'secret')
  mkdirSync(join(project, 'video'), { recursive: true })
  symlinkSync(join(qda.folder, 'secret'), join(project, 'video', 'link.mp4'))
  const db = qda.db(project)
  db.exec(`INSERT INTO source (name, mediapath) VALUES ('link.mp4', '/video/link.mp4'), ('gone.mp3', '/audio/gone.mp3'),
    ('way.mp3', '/audio/../../secret')`)
  const answer = await qda.call('export_qdpx', { path: file, overwrite: true })
  expect(answer).toMatchObject({ success: true, data: { counts: { files: 4 } } })
  const lost = answer['data'].losses.map(({ what }: { what: string }) => what).join('\n')
  expect(lost).toMatch(/video\/link.mp4 is not in the project's folder/)
  expect(lost).toMatch(/audio\/gone.mp3 is not/)
})

test('what the format has no place for is named, and not lost in silence', async () => {
  await using qda = await openQdaForTest()
  const path = qda.makeProject('Marked')
  qda.db(path).exec(`INSERT INTO source (id, name, fulltext, date) VALUES (1, 'a.txt', 'one two', '2026-01-01');
    INSERT INTO code_name (cid, name) VALUES (1, 'hope')`)
  await qda.call('open_project', { path })
  const operations = [
    { code_id: 1, source_id: 1, quote: 'one', importance: 3 },
    { code_id: 1, source_id: 1, quote: 'two' },
  ]
  await qda.call('batch_apply_codes', { operations })
  await qda.call('create_folder', { name: 'Interviews' })
  await qda.call('add_text_source', { name: 'b.txt', content: 'three', origin: 'field notes' })
  const { data } = await qda.call('export_qdpx', { path: join(qda.folder, 'marked.qdpx') })
  expect(data.losses).toEqual([
    { element: 'Folder', guid: null, what: '1 folders of sources, and what is in which' },
    { element: 'Coding', guid: null, what: 'how important 1 codings are' },
    { element: 'Source', guid: null, what: 'status, origin, language and topics of 1 sources' },
  ])
})

test('rows that other programs left anyhow become losses, never failures', async () => {
  await using qda = await openQdaForTest()
  const path = await openRich(qda)
  const db = qda.db(path)
  db.exec(`
    UPDATE code_cat SET supercatid = (SELECT catid FROM code_cat WHERE name = 'Good ones') WHERE name = 'Feelings';
    UPDATE code_name SET color = 'reddish' WHERE name = 'Lone';
    INSERT INTO code_text (cid, fid, pos0, pos1, seltext, owner) VALUES (999, 1, 0, 3, 'A', 'ada'), (1, 999, 0, 3, 'A', 'ada'),
      (1, 1, 500, 600, 'never was here', 'eve'), (1, 1, 'x', NULL, NULL, NULL), (1, 1, 0, 4, 'other text', 'ada');
    INSERT INTO code_image (id, cid, x1) VALUES (7, 1, 'wide');
    INSERT INTO code_av (id, cid, pos0) VALUES (8, 1, NULL), (1, 1, 5);
    INSERT INTO case_text (caseid, fid, pos0, pos1) VALUES (77, 1, 0, 5), (1, 1, 900, 950);
    INSERT INTO attribute (name, attr_type, value, id) VALUES ('Ghost', 'file', 'x', 1);
    UPDATE source SET date = 'yesterday', owner = 7 WHERE id = 1`)
  const file = join(qda.folder, 'out.qdpx')
  const answer = await qda.call('export_qdpx', { path: file })
  expect(answer, JSON.stringify(answer)).toMatchObject({ success: true })
  expect(structureProblems(await documentOf(file))).toEqual([])
  const lost = answer['data'].losses.map(({ what }: { what: string }) => what).join('\n')
  for (const what of [/form a ring/, /colour "reddish"/, /its code is gone/, /source 999/, /place is not in the text/])
    expect(lost).toMatch(what)
  expect(lost).toMatch(/another text stands there now/)
  expect(lost).toMatch(/no area/)
  expect(await qda.call('import_qdpx', { path: file })).toMatchObject({ success: true })
})

test('a write of another program in between fails the export, and leaves no file', async () => {
  await using qda = await openQdaForTest()
  const project = await openRich(qda)
  const file = join(qda.folder, 'out.qdpx')
  const other = new Database(join(project, 'data.qda'))
  const call = qda.call('export_qdpx', { path: file })
  const writes = setImmediateLoop(() => other.exec("UPDATE project SET memo = memo || '.'"))
  const answer = await call
  writes.stop()
  other.close()
  expect(answer).toMatchObject({ success: false, error_code: 'PROJECT_BUSY', details: { retryable: true } })
  expect(existsSync(file)).toBe(false)
})

function setImmediateLoop(work: () => void): { stop(): void } {
  let isOn = true
  const again = () => {
    if (!isOn) return
    work()
    setImmediate(again)
  }
  setImmediate(again)
  return {
    stop: () => {
      isOn = false
    },
  }
}

test('a codebook leaves, is valid, and comes back the same in a project that has no codes', async () => {
  await using qda = await openQdaForTest()
  const project = await openRich(qda)
  const path = join(qda.folder, 'codes.qdc')
  expect(await qda.call('export_qdc', { path })).toMatchObject({ data: { counts: { codes: 3, categories: 3 } } })
  const empty = await qda.openProject('Empty')
  expect(await qda.call('export_qdc', { path: join(qda.folder, 'none.qdc') })).toMatchObject({ success: false })
  expect(await qda.call('import_qdc', { path })).toMatchObject({ data: { preview: true, counts: { codes: 3 } } })
  expect(await qda.call('import_qdc', { path, confirm: true })).toMatchObject({ data: { counts: { codes: 3 } } })
  const { codes, categories } = projectFacts(qda.db(project))
  const visible = JSON.parse(JSON.stringify({ codes, categories }).replace('\\u0001', '\ufffd'))
  const facts = projectFacts(qda.db(empty))
  expect({ codes: facts['codes'], categories: facts['categories'] }).toEqual(visible)
})

test("Taguette's codebook is read, and its code joined with one of another case", async () => {
  await using qda = await openQdaForTest()
  const project = await qda.openProject('Mine')
  qda.db(project).exec("INSERT INTO code_name (name, memo, color) VALUES ('TRUST', '', '#F7D358')")
  const path = join(qda.folder, 'taguette.qdc')
  writeFileSync(path, taguetteCodebook())
  const answer = await qda.call('import_qdc', { path, confirm: true })
  expect(answer).toMatchObject({ success: true, data: { counts: { codes: 0 }, joined: { codes: 1 } } })
  expect(projectFacts(qda.db(project))['codes']).toMatchObject([{ name: 'TRUST' }])
})

test('a folder that must not be written to says so', async () => {
  await using qda = await openQdaForTest()
  await openRich(qda)
  const folder = join(qda.folder, 'closed')
  mkdirSync(folder)
  chmodSync(folder, 0o500)
  const answer = await qda.call('export_qdpx', { path: join(folder, 'out.qdpx') })
  // The superuser may write anywhere.
  if (process.getuid?.() !== 0) expect(answer).toMatchObject({ error_code: 'EXPORT_FAILED/WRITE_FAILED' })
})
