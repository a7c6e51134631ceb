import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { uploadFileTool } from '../../src/tools/upload-file-tool.js'
import { keyCredential, testCall } from '../support/test-call.js'
import { writeWith } from '../support/write-with.js'

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let server: ForumServer
let folder: string

beforeEach(async () => {
  server = await startForumServer({ village: false, basePath: '/forumA' })
  server.forum.addUser('ada')
  folder = await mkdtemp(join(tmpdir(), 'callboard-upload-'))
  await writeFile(join(folder, 'figure.png'), png)
})

afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

function upload(args: object, allowedUploadPaths: readonly string[] = [folder]) {
  const tool = uploadFileTool({ config: { allowedUploadPaths } })
  return writeWith(tool, args, testCall(server.base, { credential: keyCredential(server.keys.user('ada')) }))
}

it('uploads a file of this machine, and tells how a post shows it', async () => {
  expect(await upload({ url: join(folder, 'figure.png') })).toEqual({
    id: 1,
    url: expect.stringMatching(/^\/forumA\/uploads\/.*\.png$/),
    short_url: expect.stringMatching(/^upload:\/\/\w+\.png$/),
    original_filename: 'figure.png',
    extension: 'png',
    width: 1,
    height: 1,
    filesize: png.length,
    outcome: 'done',
  })
  expect(server.forum.uploads.all[0]).toMatchObject({ username: 'ada', content: png })
})

it('uploads what it is given, under the name that it is given', async () => {
  const filename = 'Ansicht „von oben" 🥖.png'
  const answer = await upload({ image_data: png.toString('base64'), filename })
  expect(answer).toMatchObject({ filesize: png.length, extension: 'png' })
  expect(server.forum.uploads.all[0]!.content).toEqual(png)
})

it('gives a file another name', async () => {
  expect(await upload({ url: join(folder, 'figure.png'), filename: 'view.png' })).toMatchObject({
    original_filename: 'view.png',
  })
})

it('says what the file is for, by both names that forums know', async () => {
  await upload({ url: join(folder, 'figure.png'), upload_type: 'avatar' })
  const { headers, body } = server.seen(/^POST/)[0]!
  expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  for (const field of ['type', 'upload_type']) expect(body).toContain(`name="${field}"\r\n\r\navatar\r\n`)
})

it('reads the same path again: another file may be there now', async () => {
  const tool = uploadFileTool({ config: { allowedUploadPaths: [folder] } })
  expect(tool).toMatchObject({ equalCallsAreDifferent: true })
})

it('tells why the forum refuses', async () => {
  await writeFile(join(folder, 'program.exe'), 'MZ')
  await expect(upload({ url: join(folder, 'program.exe') })).rejects.toMatchObject({
    code: 'rejected',
    details: { status: 422, errors: [expect.stringContaining('authorized extensions')], outcome: 'rejected' },
  })
})

it('does not know what became of it where the answer has no file', async () => {
  server.fault({ on: /^POST/, kind: 'status', status: 200, json: { id: 4 } })
  await expect(upload({ url: join(folder, 'figure.png') })).rejects.toMatchObject({
    code: 'outcome_unknown',
    details: { outcome: 'unknown' },
  })
})

it.each([
  [{}, 'invalid_arguments'],
  [{ url: '/etc/passwd' }, 'forbidden'],
  [{ url: 'https://example.com/a.png' }, 'invalid_arguments'],
  [{ url: '/tmp/a', image_data: 'YQ==', filename: 'a' }, 'invalid_arguments'],
  [{ image_data: 'YQ==' }, 'invalid_arguments'],
  [{ image_data: 'YQ', filename: 'a.png' }, 'invalid_arguments'],
])('sends nothing for %j', async (args, code) => {
  await expect(upload(args)).rejects.toMatchObject({ code })
  expect(server.requests).toEqual([])
})

it('reads no file where none is allowed', async () => {
  await expect(upload({ url: join(folder, 'figure.png') }, [])).rejects.toMatchObject({ code: 'forbidden' })
})

it.each(['..', '.', 'a/b.png', 'a\\b.png', 'a\r\nb.png', '', 'x'.repeat(256)])(
  'refuses the name %j',
  async (filename) => {
    await expect(upload({ image_data: 'YQ==', filename })).rejects.toThrow('filename')
    expect(server.requests).toEqual([])
  },
)
