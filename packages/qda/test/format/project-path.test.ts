import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { exportTarget, importFile, newProjectAt, projectAt } from '../../src/format/project-path.js'
import { failureOf } from '../support/failure-of.js'
import { temporaryFolder } from '../support/temporary-folder.js'

let inside: string
let outside: string
let study: string

beforeEach(() => {
  const folder = temporaryFolder()
  inside = join(folder, 'inside')
  outside = join(folder, 'outside')
  study = makeProject(join(inside, 'My Study.qda'))
})

function makeProject(path: string): string {
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'data.qda'), '')
  return path
}

describe('a project to open', () => {
  it.each([
    ['the folder', ''],
    ['the folder with a slash', '/'],
    ['the database in it', '/data.qda'],
    ['a way round', '/../My Study.qda/.'],
  ])('is named by %s', async (_, tail) => {
    expect(await projectAt(`${study}${tail}`, [])).toEqual({ path: study, name: 'My Study' })
  })

  it('may have its ending in capitals', async () => {
    const path = makeProject(join(inside, 'LOUD.QDA'))
    expect(await projectAt(path, [inside])).toEqual({ path, name: 'LOUD' })
  })

  it('is where a link to it leads', async () => {
    symlinkSync(study, join(inside, 'link'))
    expect(await projectAt(join(inside, 'link'), [inside])).toEqual({ path: study, name: 'My Study' })
  })

  it.each([
    ['relative', () => 'My Study.qda', 'INVALID_PATH'],
    ['empty', () => '', 'INVALID_PATH'],
    ['with NUL', () => `${study}\0`, 'INVALID_PATH'],
    ['too long', () => `${study}${'/.'.repeat(3_000)}`, 'INVALID_PATH'],
    ['with a part that is too long', () => join(inside, `${'x'.repeat(300)}.qda`), 'INVALID_PATH'],
    ['in a file', () => join(study, 'data.qda', 'x.qda'), 'INVALID_PATH'],
    ['of another kind that is missing', () => join(inside, 'notes'), 'INVALID_PATH'],
    ['of a folder that is no project', () => inside, 'INVALID_PATH'],
    ['that is missing', () => join(inside, 'Other.qda'), 'NOT_FOUND'],
    ['of a database that is missing', () => join(inside, 'Other.qda', 'data.qda'), 'NOT_FOUND'],
  ])('is refused for a path %s', async (_, path, code) => {
    expect(await failureOf(() => projectAt(path(), []))).toBe(`PROJECT_NOT_OPENED/${code}`)
  })

  it('is refused without a database in it', async () => {
    rmSync(join(study, 'data.qda'))
    expect(await failureOf(() => projectAt(study, []))).toBe('PROJECT_NOT_OPENED/NOT_QUALCODER')
  })

  it('is refused where the database is a link', async () => {
    rmSync(join(study, 'data.qda'))
    symlinkSync(join(makeProject(join(outside, 'Secret.qda')), 'data.qda'), join(study, 'data.qda'))
    expect(await failureOf(() => projectAt(study, [inside]))).toBe('PROJECT_NOT_OPENED/INVALID_PATH')
  })

  it('is refused where the database is a pipe, without waiting for it', async () => {
    rmSync(join(study, 'data.qda'))
    execFileSync('mkfifo', [join(study, 'data.qda')])
    expect(await failureOf(() => projectAt(study, []))).toBe('PROJECT_NOT_OPENED/INVALID_PATH')
  })

  it('is refused as one file of the other program', async () => {
    writeFileSync(join(inside, 'v2.qda'), 'SQLite format 3\0 and so on')
    writeFileSync(join(inside, 'text.qda'), 'hello')
    expect(await failureOf(() => projectAt(join(inside, 'v2.qda'), []))).toBe('PROJECT_NOT_OPENED/UNSUPPORTED_FORMAT')
    expect(await failureOf(() => projectAt(join(inside, 'text.qda'), []))).toBe('PROJECT_NOT_OPENED/NOT_QUALCODER')
  })
})

describe('the roots', () => {
  const forbidden = 'PROJECT_NOT_OPENED/FORBIDDEN_PATH'

  it('may be links themselves', async () => {
    const root = join(temporaryFolder(), 'root')
    symlinkSync(inside, root)
    expect(await projectAt(study, [root])).toEqual({ path: study, name: 'My Study' })
  })

  it('hide what lies outside, whether it is there or not', async () => {
    const secret = makeProject(join(outside, 'Secret.qda'))
    expect(await failureOf(() => projectAt(secret, [inside]))).toBe(forbidden)
    expect(await failureOf(() => projectAt(join(outside, 'None.qda'), [inside]))).toBe(forbidden)
    expect(await failureOf(() => projectAt(`${inside}/../outside/Secret.qda`, [inside]))).toBe(forbidden)
    expect(await failureOf(() => projectAt(`${inside}/none/../../outside/None.qda`, [inside]))).toBe(forbidden)
  })

  it('are not left through a link', async () => {
    symlinkSync(makeProject(join(outside, 'Secret.qda')), join(inside, 'Nice.qda'))
    expect(await failureOf(() => projectAt(join(inside, 'Nice.qda'), [inside]))).toBe(forbidden)
  })

  it('are no mere beginnings of names', async () => {
    const path = makeProject(`${inside}-and-more/X.qda`)
    expect(await failureOf(() => projectAt(path, [inside]))).toBe(forbidden)
  })

  it('hold for what is yet to be made', async () => {
    mkdirSync(outside)
    symlinkSync(outside, join(inside, 'link'))
    const refused = 'PROJECT_NOT_CREATED/FORBIDDEN_PATH'
    expect(await failureOf(() => newProjectAt(join(outside, 'N.qda'), [inside]))).toBe(refused)
    expect(await failureOf(() => newProjectAt(join(inside, 'link', 'N.qda'), [inside]))).toBe(refused)
    expect(await newProjectAt(join(inside, 'N.qda'), [inside])).toEqual({ path: join(inside, 'N.qda'), name: 'N' })
  })

  it('hold for exports and imports', async () => {
    mkdirSync(outside)
    writeFileSync(join(outside, 'a.qdc'), '')
    const options = { roots: [inside], extensions: ['.qdc'], overwrite: true }
    expect(await failureOf(() => exportTarget(join(outside, 'a.qdc'), options))).toBe('EXPORT_FAILED/FORBIDDEN_PATH')
    expect(await failureOf(() => importFile(join(outside, 'a.qdc'), [inside], ['.qdc']))).toBe(
      'IMPORT_FAILED/FORBIDDEN_PATH',
    )
  })
})

describe('a new project', () => {
  it.each([
    ['one that exists', () => study, 'EXISTS'],
    ['no ending', () => join(inside, 'New'), 'INVALID_PATH'],
    ['nothing but the ending', () => join(inside, '.qda'), 'INVALID_PATH'],
    ['a line break in its name', () => join(inside, 'a\nb.qda'), 'INVALID_PATH'],
    ['no folder around it', () => join(inside, 'none', 'New.qda'), 'INVALID_PATH'],
    ['a relative path', () => './New.qda', 'INVALID_PATH'],
  ])('is refused: %s', async (_, path, code) => {
    expect(await failureOf(() => newProjectAt(path(), []))).toBe(`PROJECT_NOT_CREATED/${code}`)
  })

  it('is refused in place of a link to nothing', async () => {
    symlinkSync(join(inside, 'gone'), join(inside, 'New.qda'))
    expect(await failureOf(() => newProjectAt(join(inside, 'New.qda'), []))).toBe('PROJECT_NOT_CREATED/EXISTS')
  })
})

describe('an export', () => {
  const options = { roots: [], extensions: ['.qdpx'], overwrite: false }

  it('goes where no file is yet, or over one if that is wanted', async () => {
    const path = join(inside, 'out.QDPX')
    expect(await exportTarget(path, options)).toBe(path)
    writeFileSync(path, '')
    expect(await failureOf(() => exportTarget(path, options))).toBe('EXPORT_FAILED/EXISTS')
    expect(await exportTarget(path, { ...options, overwrite: true })).toBe(path)
  })

  it('never goes over a folder, a link to nothing, or a file of another kind', async () => {
    mkdirSync(join(inside, 'folder.qdpx'))
    symlinkSync(join(outside, 'gone'), join(inside, 'link.qdpx'))
    const invalid = 'EXPORT_FAILED/INVALID_PATH'
    for (const name of ['folder.qdpx', 'link.qdpx', 'My Study.qda/data.qda', 'none/a.qdpx'])
      expect(await failureOf(() => exportTarget(join(inside, name), { ...options, overwrite: true }))).toBe(invalid)
  })
})

it('an import is a file that is there', async () => {
  writeFileSync(join(inside, 'a.qdpx'), '')
  mkdirSync(join(inside, 'folder.qdpx'))
  expect(await importFile(join(inside, 'a.qdpx'), [], ['.qdpx'])).toBe(join(inside, 'a.qdpx'))
  expect(await failureOf(() => importFile(join(inside, 'b.qdpx'), [], ['.qdpx']))).toBe('IMPORT_FAILED/NOT_FOUND')
  expect(await failureOf(() => importFile(join(inside, 'folder.qdpx'), [], ['.qdpx']))).toBe(
    'IMPORT_FAILED/INVALID_PATH',
  )
  expect(await failureOf(() => importFile(join(inside, 'a.qdpx'), [], ['.qdc']))).toBe('IMPORT_FAILED/INVALID_PATH')
})
