import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QdaFailure } from '../../src/failure.js'
import { packageBytesMax } from '../../src/limits.js'
import { ZipEntries } from '../../src/refi/zip-entries.js'
import { type RawFile, rawZip } from './support/hostile-zip.js'
import { temporaryFile } from './support/temporary-folder.js'

const good: RawFile = { name: 'project.qde', data: '<Project/>' }

async function openOf(files: readonly RawFile[]): Promise<ZipEntries> {
  return await ZipEntries.open(await temporaryFile(rawZip(files)))
}

const refused: [string, readonly RawFile[], RegExp][] = [
  ['a name that leads out', [{ name: 'sources/../../evil', data: 'x' }], /leads out of the package/],
  ['an absolute name', [{ name: '/etc/passwd', data: 'x' }], /is absolute/],
  ['a backslash', [{ name: 'sources\\a.txt', data: 'x' }], /has a backslash/],
  ['a drive', [{ name: 'C:evil.txt', data: 'x' }], /has a colon/],
  ['an empty part', [{ name: 'sources//a.txt', data: 'x' }], /has an empty part/],
  ['a part of one dot', [{ name: './project.qde', data: 'x' }], /has an empty part/],
  ['a control character', [{ name: 'a\u0000.txt', data: 'x' }], /has a control character/],
  ['a link', [{ name: 'sources/a.txt', data: '/etc/passwd', mode: 0o120777 }], /is a link/],
  ['a device', [{ name: 'sources/a.txt', data: '', mode: 0o020666 }], /no regular file/],
  ['the same name twice', [good, good], /two files named/],
  ['the same name in another case', [good, { ...good, name: 'Project.QDE' }], /two files named/],
  ['an encrypted file', [{ ...good, encrypted: true }], /encrypted/],
  ['a bomb', [{ name: 'sources/a.txt', data: Buffer.alloc(4 * 1024 * 1024) }], /more than 200 times/],
  ['files on the same bytes', [good, { ...good, name: 'again', at: 0 }], /same bytes/],
]

test.each(refused)('a package with %s is refused', async (_what, files, message) => {
  await expect(openOf(files)).rejects.toMatchObject({
    code: 'IMPORT_FAILED/REFUSED',
    message: expect.stringMatching(message),
  })
})

test('a package that says it is larger than allowed is too large, before anything is unpacked', async () => {
  const file = { name: 'a', data: randomBytes(12_000_000), saysBytes: packageBytesMax + 1 }
  await expect(openOf([file])).rejects.toMatchObject({ code: 'IMPORT_FAILED/TOO_LARGE' })
})

test('a packing method that nothing here unpacks is named', async () => {
  await expect(openOf([{ ...good, method: 99 }])).rejects.toMatchObject({
    code: 'IMPORT_FAILED/INVALID_FILE',
    message: expect.stringContaining('method 99'),
  })
})

test('a missing file is not found', async () => {
  await expect(ZipEntries.open('/nowhere/at/all.qdpx')).rejects.toMatchObject({ code: 'IMPORT_FAILED/NOT_FOUND' })
})

test.each([
  ['no ZIP', Buffer.from('no ZIP at all')],
  ['an empty file', Buffer.alloc(0)],
  ['half a ZIP', rawZip([good]).subarray(0, 40)],
  ['a ZIP without its beginning', rawZip([good]).subarray(20)],
])('%s is no readable package', async (_what, bytes) => {
  await expect(ZipEntries.open(await temporaryFile(bytes))).rejects.toMatchObject({
    code: expect.stringMatching(/^IMPORT_FAILED\/(INVALID_FILE|REFUSED)$/),
  })
})

test.each([
  ['is longer than it says', { saysBytes: 3 }],
  ['is shorter than it says', { saysBytes: 30 }],
  ['has another checksum', { saysChecksum: 1 }],
])('a file that %s fails as it is read', async (_what, lie) => {
  const entries = await openOf([{ ...good, ...lie }])
  const stream = await entries.openEntry(entries.find('project.qde')!)
  await expect(text(stream)).rejects.toMatchObject({ code: 'IMPORT_FAILED/INVALID_FILE' })
  entries.close()
})

test('files are found whatever the case of their names, and folders are none', async () => {
  const entries = await openOf([
    good,
    { name: 'Sources/', data: '', method: 0, mode: 0o040755 },
    { name: 'Sources/A.TXT', data: 'text' },
  ])
  expect(entries.find('sources/a.txt')).toEqual({ name: 'Sources/A.TXT', bytes: 4 })
  expect(entries.find('sources/')).toBeNull()
  expect(await text(await entries.openEntry(entries.find('SOURCES/a.txt')!))).toBe('text')
  entries.close()
})

test('whatever bytes of a package are changed, it opens or fails with a sentence', async () => {
  const original = rawZip([good, { name: 'sources/a.txt', data: 'some text' }])
  const change = fc.tuple(fc.nat(original.length - 1), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const bytes = Buffer.from(original)
      for (const [at, byte] of changes) bytes[at] = byte
      const outcome = await readAll(await temporaryFile(bytes)).catch((error: unknown) => error)
      if (outcome !== 'read') expect(outcome).toBeInstanceOf(QdaFailure)
    }),
    { numRuns: 150 },
  )
})

async function readAll(path: string): Promise<'read'> {
  const entries = await ZipEntries.open(path)
  try {
    for (const name of entries.names()) await text(await entries.openEntry(entries.find(name)!))
    return 'read'
  } finally {
    entries.close()
  }
}
