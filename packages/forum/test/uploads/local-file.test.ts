import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, open, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uploadBytesMax } from '../../src/limits.js'
import { readLocalFile, requireStillThere } from '../../src/uploads/local-file.js'

let root: string
let allowed: string
let elsewhere: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'callboard-upload-')))
  allowed = join(root, 'allowed')
  elsewhere = join(root, 'elsewhere')
  await mkdir(join(allowed, 'deep'), { recursive: true })
  await mkdir(elsewhere)
  await writeFile(join(allowed, 'note.txt'), 'a note')
  await writeFile(join(allowed, 'deep', 'note.txt'), 'a deep note')
  await writeFile(join(elsewhere, 'secret.txt'), 'a secret')
})

afterEach(() => rm(root, { recursive: true }))

async function textOf(path: string, folders: readonly string[] = [allowed]): Promise<string> {
  return new TextDecoder().decode((await readLocalFile(path, folders)).bytes)
}

const refusal = (path: string, folders?: readonly string[]) => expect(textOf(path, folders)).rejects

describe('a file can be uploaded', () => {
  it('from an allowed folder, and below it', async () => {
    expect(await textOf(join(allowed, 'note.txt'))).toBe('a note')
    expect(await textOf(join(allowed, 'deep', 'note.txt'))).toBe('a deep note')
    expect(await textOf(join(allowed, 'deep', '..', 'note.txt'))).toBe('a note')
    expect((await readLocalFile(join(allowed, 'note.txt'), [allowed])).name).toBe('note.txt')
  })

  it('through a link to another allowed place, by its own name', async () => {
    await symlink(join(allowed, 'deep', 'note.txt'), join(allowed, 'link.txt'))
    expect(await textOf(join(allowed, 'link.txt'))).toBe('a deep note')
    expect((await readLocalFile(join(allowed, 'link.txt'), [allowed])).name).toBe('link.txt')
  })

  it('from a folder that is allowed by a link to it', async () => {
    await symlink(allowed, join(root, 'shortcut'))
    expect(await textOf(join(root, 'shortcut', 'note.txt'), [join(root, 'shortcut')])).toBe('a note')
    expect(await textOf(join(allowed, 'note.txt'), [join(root, 'shortcut')])).toBe('a note')
  })

  it('where another allowed folder is not there', async () => {
    expect(await textOf(join(allowed, 'note.txt'), [join(root, 'gone'), allowed])).toBe('a note')
  })

  it('up to the limit', async () => {
    await truncate(join(allowed, 'note.txt'), uploadBytesMax)
    expect((await readLocalFile(join(allowed, 'note.txt'), [allowed])).bytes).toHaveLength(uploadBytesMax)
    await truncate(join(allowed, 'note.txt'), uploadBytesMax + 1)
    await refusal(join(allowed, 'note.txt')).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(`${uploadBytesMax} bytes`),
    })
  })
})

describe('no file is touched', () => {
  it('without an allowed folder', async () => {
    await refusal(join(allowed, 'note.txt'), []).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('allowed_upload_paths'),
    })
  })

  it.each([
    () => join(elsewhere, 'secret.txt'),
    () => join(elsewhere, 'not-there.txt'),
    () => `${allowed}/../elsewhere/secret.txt`,
    () => `${allowed}/deep/../../elsewhere/secret.txt`,
    () => `${allowed}-too/note.txt`,
    () => allowed,
    () => `${allowed}/`,
    () => root,
    () => '/proc/self/environ',
    () => '/etc/passwd',
  ])('outside, whether or not it is there: %s', async (path) => {
    await refusal(path()).toMatchObject({ code: 'forbidden' })
  })

  it.each(['note.txt', './note.txt', '../secret', 'https://example.com/a.png', 'file:///etc/passwd', '~/note.txt'])(
    'by anything but an absolute path: %s',
    async (path) => {
      await refusal(path).toMatchObject({ code: 'invalid_arguments' })
    },
  )
})

describe('nothing is read', () => {
  it('through a link that leads outside', async () => {
    await symlink(join(elsewhere, 'secret.txt'), join(allowed, 'link.txt'))
    await symlink(elsewhere, join(allowed, 'folder'))
    await symlink('/proc/self', join(allowed, 'self'))
    await refusal(join(allowed, 'link.txt')).toMatchObject({ code: 'forbidden' })
    await refusal(join(allowed, 'folder', 'secret.txt')).toMatchObject({ code: 'forbidden' })
    await refusal(join(allowed, 'self', 'environ')).toMatchObject({ code: 'forbidden' })
  })

  it('through a link that goes back and forth, or nowhere', async () => {
    await symlink(join(allowed, 'b'), join(allowed, 'a'))
    await symlink(join(allowed, 'a'), join(allowed, 'b'))
    await symlink(join(allowed, 'nowhere'), join(allowed, 'c'))
    await refusal(join(allowed, 'a')).toMatchObject({ code: 'invalid_arguments' })
    await refusal(join(allowed, 'c')).toMatchObject({ code: 'not_found' })
  })

  it('of what is not there', async () => {
    await refusal(join(allowed, 'gone.txt')).toMatchObject({ code: 'not_found' })
    await refusal(join(allowed, 'note.txt', 'deeper')).toMatchObject({ code: 'not_found' })
  })

  it('of what is no file', async () => {
    await refusal(join(allowed, 'deep')).toMatchObject({ code: 'invalid_arguments' })
    execFileSync('mkfifo', [join(allowed, 'pipe')])
    await refusal(join(allowed, 'pipe')).toMatchObject({ code: 'invalid_arguments' })
    const socket = createServer().listen(join(allowed, 'socket'))
    await new Promise((resolve) => socket.once('listening', resolve))
    await refusal(join(allowed, 'socket')).toMatchObject({ code: 'invalid_arguments' })
    await new Promise((resolve) => socket.close(resolve))
  })

  it('of devices and of what the kernel makes up, even where all is allowed', async () => {
    await refusal('/dev/zero', ['/']).toMatchObject({ code: 'invalid_arguments' })
    await refusal('/proc/self/environ', ['/']).toMatchObject({ code: 'invalid_arguments' })
  })

  it('of an empty file', async () => {
    await writeFile(join(allowed, 'empty.txt'), '')
    await refusal(join(allowed, 'empty.txt')).toMatchObject({ code: 'invalid_arguments' })
  })

  it('of another file than the one under the path: a folder on the way was a link for a moment', async () => {
    await using secret = await open(join(elsewhere, 'secret.txt'))
    await expect(requireStillThere(secret, join(allowed, 'note.txt'), [allowed])).rejects.toThrow('was replaced')
  })

  it('of a file under a path that leads outside since', async () => {
    await using secret = await open(join(elsewhere, 'secret.txt'))
    await symlink(elsewhere, join(allowed, 'folder'))
    await expect(requireStillThere(secret, join(allowed, 'folder', 'secret.txt'), [allowed])).rejects.toThrow(
      'was replaced',
    )
  })

  it('of a file that is gone since', async () => {
    await using note = await open(join(allowed, 'note.txt'))
    await rm(join(allowed, 'note.txt'))
    await expect(requireStillThere(note, join(allowed, 'note.txt'), [allowed])).rejects.toThrow('was replaced')
  })
})

it('takes a second name of a file as the file that it is', async () => {
  await link(join(allowed, 'note.txt'), join(allowed, 'deep', 'same.txt'))
  expect(await textOf(join(allowed, 'deep', 'same.txt'))).toBe('a note')
})
