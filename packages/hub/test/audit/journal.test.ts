import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { auditFiles } from '../../src/audit/audit-files.js'
import { openJournal } from '../../src/audit/audit-journal.js'
import { verifyAudit } from '../../src/audit/verify.js'
import { createHubLog } from '../../src/hub-log.js'
import { temporaryDirectory } from '../temporary.js'

let directory: string
beforeEach(async () => {
  directory = await temporaryDirectory()
})

function open(more: object = {}, now: () => number = () => 1_800_000_000_000, told: string[] = []) {
  const log = createHubLog('error', new Writable({ write: (chunk, _, done) => done(void told.push(String(chunk))) }))
  const limits = { directory, fileBytes: 1_000_000, keepFiles: 100, arguments: 'hash', onFailure: 'continue' } as const
  return openJournal({ config: { ...limits, secrets: [], ...more }, version: '1', log, secrets: [], now })
}

/** Lines 1 to 6: file, started, a, b, c, stopped. */
async function smallJournal(): Promise<{ path: string; lines: string[] }> {
  const journal = await open()
  for (const kind of ['a', 'b', 'c']) journal.note(kind, {})
  await journal.close()
  const path = join(directory, 'audit-00000001.jsonl')
  return { path, lines: (await readFile(path, 'utf8')).trimEnd().split('\n') }
}

const kindsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).kind)
const problems = async (expect?: string) => (await verifyAudit({ directory, expect })).problems

describe('a journal that nobody touched', () => {
  it('is whole, over stops and starts', async () => {
    const { lines } = await smallJournal()
    expect(kindsOf(lines)).toEqual(['file', 'started', 'a', 'b', 'c', 'stopped'])
    await (await open()).close()
    expect(await verifyAudit({ directory })).toMatchObject({ files: 1, lines: 8, head: { seq: 8 }, problems: [] })
  })

  it('is its owner’s only', async () => {
    const { path } = await smallJournal()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('is one chain over all its files, by size and by day', async () => {
    let now = 1_800_000_000_000
    const journal = await open({ fileBytes: 1_000 }, () => now)
    journal.note('large', { text: 'x'.repeat(2_000) })
    await journal.write(now)
    journal.note('next file', {})
    await journal.write(now)
    now += 86_400_000
    journal.note('next day', {})
    await journal.write(now)
    await journal.close()
    expect(await auditFiles(directory)).toHaveLength(3)
    expect(await problems()).toEqual([])
  })

  it('keeps as many files as it is told, and says which it removed', async () => {
    const journal = await open({ fileBytes: 1, keepFiles: 2 })
    for (const kind of ['a', 'b', 'c', 'd']) {
      journal.note(kind, {})
      await journal.write(1_800_000_000_000)
    }
    await journal.close()
    const [oldest, ...others] = await auditFiles(directory)
    expect(others).toHaveLength(1)
    expect(await problems()).toEqual([])
    execFileSync('rm', [join(directory, oldest!)])
    expect(await problems()).toMatchObject([
      { line: 1, problem: expect.stringContaining('are missing, and no line says') },
    ])
  })
})

it('does not begin where nothing can be written, and says what helps', async () => {
  await mkdir(join(directory, 'audit.lock'))
  await expect(open()).rejects.toThrow(/can't be written \(EISDIR.*free the disk or mend the directory/)
})

describe('a journal that another hub writes', () => {
  it('is not opened, until that one has closed it', async () => {
    const first = await open()
    await expect(open()).rejects.toThrow(/Another hub keeps its audit journal in/)
    await first.close()
    await (await open()).close()
    expect(await problems()).toEqual([])
  })
})

describe('a journal that somebody touched', () => {
  const cases: [string, (lines: string[]) => string[], line: number, problem: string][] = [
    ['changed', ([a, b, c, ...d]) => [a!, b!, c!.replace('"a"', '"z"'), ...d], 3, 'not as it was written'],
    ['removed', ([a, b, , ...d]) => [a!, b!, ...d], 3, 'line 3 of the journal is missing before it'],
    ['moved', ([a, b, c, d, ...e]) => [a!, b!, d!, c!, ...e], 3, 'line 3 of the journal is missing before it'],
    ['put in twice', ([a, b, c, ...d]) => [a!, b!, c!, c!, ...d], 4, 'it was moved or inserted'],
    ['put in from nowhere', ([a, b, ...c]) => [a!, b!, '{"kind":"call"}', ...c], 3, 'not as it was written'],
    ['cut short', ([a, b, c, ...d]) => [a!, b!, c!.slice(0, 20), ...d], 3, 'not as it was written'],
  ]
  it.each(cases)('shows the line that was %s', async (_, tamper, line, problem) => {
    const { path, lines } = await smallJournal()
    await writeFile(path, `${tamper(lines).join('\n')}\n`)
    const [first] = await problems()
    expect(first).toMatchObject({ file: 'audit-00000001.jsonl', line })
    expect(first?.problem).toContain(problem)
  })

  it('shows that its newest lines are gone to whoever kept the hash', async () => {
    const { path, lines } = await smallJournal()
    const { hash } = JSON.parse(lines.at(-1)!)
    expect(await problems(hash)).toEqual([])
    await writeFile(path, `${lines.slice(0, -1).join('\n')}\n`)
    expect(await problems()).toEqual([])
    expect(await problems(hash)).toMatchObject([{ problem: expect.stringContaining('the newest lines were removed') }])
  })

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['removed', (path) => rm(path)],
    ['moved away', (path) => rename(path, `${path}.old`)],
    ['replaced by another', (path) => rename(path, `${path}.old`).then(() => writeFile(path, 'mine\n'))],
    ['replaced by a link', (path) => rename(path, `${path}.old`).then(() => symlink(`${path}.old`, path))],
    ['emptied', (path) => truncate(path)],
    ['written to by somebody else', (path) => appendFile(path, 'mine\n')],
  ])('goes on in a new file when it is %s while it is written, and tells', async (_, spoil) => {
    const told: string[] = []
    const journal = await open({}, undefined, told)
    journal.note('before', {})
    await journal.write(1_800_000_000_000)
    await spoil(join(directory, 'audit-00000001.jsonl'))
    journal.note('after', {})
    await journal.close()
    const lines = (await readFile(join(directory, 'audit-00000002.jsonl'), 'utf8')).trimEnd().split('\n')
    expect(kindsOf(lines)).toEqual(['file', 'after', 'stopped'])
    expect(told.join()).toMatch(/audit-00000001.jsonl.*goes on in a new file/)
    // A link is not followed: then there is nothing to verify.
    expect(await problems().catch(String)).not.toEqual([])
  })

  it('is not written through a link', async () => {
    await smallJournal()
    const target = join(await temporaryDirectory(), 'elsewhere')
    await writeFile(target, '')
    await symlink(target, join(directory, 'audit-00000002.jsonl'))
    await expect(open()).rejects.toThrow('CALLBOARD_AUDIT=off')
    expect(await readFile(target, 'utf8')).toBe('')
  })
})

describe('a journal that was not ended', () => {
  it('has an unfinished line, which is told from a changed one, and cut off at the next start, not silently', async () => {
    const { path } = await smallJournal()
    await appendFile(path, '{"seq":7,"at"')
    expect(await verifyAudit({ directory })).toMatchObject({ problems: [], torn: { bytes: 13 } })
    await (await open()).close()
    const after = await verifyAudit({ directory })
    expect(after).toMatchObject({ problems: [], torn: undefined, recovered: [{ line: 7, bytesCut: 13 }] })
  })

  it('goes on in a new file after a line that is spoiled, and stays not whole', async () => {
    const { path } = await smallJournal()
    const { size } = await stat(path)
    await truncate(path, size - 10)
    await appendFile(path, '\n')
    await (await open()).close()
    expect(await auditFiles(directory)).toHaveLength(2)
    expect((await problems())[0]).toMatchObject({ file: 'audit-00000001.jsonl', line: 6 })
  })

  it('is whole after each of several kills in the midst of writing', async () => {
    for (let round = 0; round < 3; round++) {
      const writer = new Writer(directory)
      await writer.said((line) => Number(line) > 200)
      await writer.kill()
    }
    await (await open()).close()
    const found = await verifyAudit({ directory })
    expect(found).toMatchObject({ problems: [], torn: undefined })
    expect(found.lines).toBeGreaterThan(600)
  })
})

it('a disk that is full refuses calls where it is told so, loses nothing that has room to wait, and goes on when it can', async () => {
  const writer = new Writer(directory, 100)
  await writer.said((line) => line === 'refuses')
  execFileSync('prlimit', ['--pid', String(writer.pid), '--fsize=unlimited:unlimited'])
  await writer.said((line) => line !== 'refuses')
  await writer.kill()
  expect(await problems()).toEqual([])
  const text = await readFile(join(directory, (await readdir(directory))[0]!), 'utf8')
  const serials = text.match(/(?<="serial":)\d+/g)!.map(Number)
  expect(serials).toEqual(serials.map((_, index) => index + 1))
})

it('lines that find no room are counted, and the journal says so', async () => {
  const journal = await open()
  for (let index = 0; index < 20; index++) journal.note('large', { text: 'x'.repeat(1_000_000) })
  await journal.close()
  expect(journal.counts.lost).toBeGreaterThan(0)
  const texts = await Promise.all((await auditFiles(directory)).map((name) => readFile(join(directory, name), 'utf8')))
  const told = texts.join('').match(/(?<="kind":"lost","lost":)\d+/)
  expect(Number(told)).toBe(journal.counts.lost)
  expect(await problems()).toEqual([])
})

class Writer {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  /** `blocks`: the files may have so many of 512 bytes. */
  constructor(directory: string, blocks?: number) {
    const script = new URL('../processes/journal-writer.mjs', import.meta.url).pathname
    const limit = blocks === undefined ? '' : `trap '' XFSZ; ulimit -S -f ${blocks};`
    const command = `${limit} exec "$0" "$@"`
    this.#child = spawn('/bin/sh', ['-c', command, process.execPath, script, directory, '100000000'])
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]()
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  get pid(): number {
    return this.#child.pid!
  }

  async said(isMeant: (line: string) => boolean): Promise<void> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error('the writer has ended')
      if (isMeant(value)) return
    }
  }

  kill(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()))
    this.#child.kill('SIGKILL')
    return gone
  }
}
