import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { RefiPackage } from '../../src/refi/read-package.js'
import { type PackageRequest, writePackage } from '../../src/refi/write-package.js'
import { ZipEntries } from '../../src/refi/zip-entries.js'
import { emptyProject, textSource } from './support/projects.js'
import { structureProblems } from './support/structure-validator.js'
import { temporaryFolder } from './support/temporary-folder.js'

const guid = '11111111-2222-4333-8444-555555555555'
const text = 'Zeile\n😀 中\u2029end\n'
const source = textSource({
  guid,
  content: { kind: 'file', path: { kind: 'internal', path: `${guid}.txt` } },
  richTextPath: { kind: 'internal', path: `${guid}.docx` },
})
const note = {
  ...textSource({ guid: guid.replace('1', '9') }),
  content: { kind: 'inline' as const, text: 'A diary\n' },
}
const { kind: _kind, ...noteOfText } = note

async function request(parts: Partial<PackageRequest> = {}): Promise<PackageRequest> {
  return {
    path: join(await temporaryFolder(), 'out.qdpx'),
    overwrite: false,
    project: { ...emptyProject, sources: [source], notes: [noteOfText] },
    lineEnds: 'lf',
    writtenAt: new Date('2024-05-06T07:08:10Z'),
    readText: () => text,
    openFile: () => Readable.from([Buffer.from([1, 2, 3])]),
    ...parts,
  }
}

test('texts, notes and files come back as they were', async () => {
  const wanted = await request()
  expect((await writePackage(wanted)).count).toBe(0)
  const refi = await RefiPackage.open(wanted.path)
  expect(refi.project.sources).toEqual([source])
  expect(await refi.readText({ kind: 'internal', path: `${guid}.txt` })).toEqual({ kind: 'text', text })
  expect(await refi.readText({ kind: 'internal', path: `${noteOfText.guid}.txt` })).toEqual({
    kind: 'text',
    text: 'A diary\n',
  })
  const rich = refi.find({ kind: 'internal', path: `${guid}.docx` })!
  expect(await buffer(await refi.openFile(rich))).toEqual(Buffer.from([1, 2, 3]))
  refi.close()
})

test('line ends are CRLF where asked for, and no file has a byte order mark', async () => {
  const wanted = await request({ lineEnds: 'crlf' })
  await writePackage(wanted)
  const refi = await RefiPackage.open(wanted.path)
  expect(await refi.readText({ kind: 'internal', path: `${guid}.txt` })).toMatchObject({
    text: text.replaceAll('\n', '\r\n'),
  })
  refi.close()
})

test('the same project is the same bytes, and its document comes first in the folder that all programs know', async () => {
  const [first, second] = [await request(), await request()]
  await writePackage(first)
  await writePackage(second)
  const bytes = await readFile(first.path)
  expect(bytes.equals(await readFile(second.path))).toBe(true)
  expect(bytes.toString('latin1', 30, 41)).toBe('project.qde')
  expect(bytes.includes('sources/')).toBe(true)
  expect(bytes.includes('Sources/')).toBe(false)
})

test('a file that is there already stays, unless it may be overwritten', async () => {
  const wanted = await request()
  await writeFile(wanted.path, 'mine')
  await expect(writePackage(wanted)).rejects.toMatchObject({ code: 'EXPORT_FAILED/EXISTS' })
  expect(await readFile(wanted.path, 'utf8')).toBe('mine')
  await writePackage({ ...wanted, overwrite: true })
  expect(structureProblems(await documentOf(wanted.path))).toEqual([])
})

test('a folder that is not there is named as such', async () => {
  await expect(writePackage(await request({ path: '/nowhere/at/all.qdpx' }))).rejects.toMatchObject({
    code: 'EXPORT_FAILED/INVALID_PATH',
  })
})

test.each([
  ['a text can not be read', { readText: () => Promise.reject(new Error('gone')) }],
  ['a file can not be opened', { openFile: () => Promise.reject(new Error('gone')) }],
  ['a file breaks off', { openFile: () => Readable.from(brokenOff()) }],
])('where %s, nothing is left', async (_what, parts) => {
  const wanted = await request(parts)
  await expect(writePackage(wanted)).rejects.toMatchObject({ code: 'EXPORT_FAILED/WRITE_FAILED' })
  expect(await readdir(join(wanted.path, '..'))).toEqual([])
})

test('an export that is given up leaves nothing', async () => {
  const giveUp = new AbortController()
  const wanted = await request({
    signal: giveUp.signal,
    readText: () => {
      giveUp.abort()
      return text
    },
  })
  await expect(writePackage(wanted)).rejects.toMatchObject({ name: 'AbortError' })
  expect(await readdir(join(wanted.path, '..'))).toEqual([])
})

async function documentOf(path: string): Promise<string> {
  const entries = await ZipEntries.open(path)
  const document = await buffer(await entries.openEntry(entries.find('project.qde')!))
  entries.close()
  return document.toString()
}

async function* brokenOff() {
  yield Buffer.from([1])
  throw new Error('broken off')
}
