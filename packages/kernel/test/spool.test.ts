import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSpoolBytesMax } from '../src/limits.js'
import { RunOutput } from '../src/output/run-output.js'
import { Spool } from '../src/output/spool.js'
import { openStoredOutput, type StoredTexts } from '../src/output/stored-output.js'

const mebibyte = 1024 * 1024

let directory: string
let spool: Spool

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-spool-test-'))
  spool = await openSpool()
})
afterEach(() => rm(directory, { recursive: true, force: true }))

function openSpool(bytesMax = 1024 * mebibyte): Promise<Spool> {
  return Spool.open({ directory: join(directory, 'spool'), bytesMax })
}

function output(run = 1, from = spool): RunOutput {
  return new RunOutput(() => {}, from.run('owner', run))
}

/** What the row of a run holds. */
function rowOf({ stdout, stderr }: RunOutput): StoredTexts {
  return {
    stdout: stdout.read().text.replaceAll('\0', '\uFFFD'),
    stderr: stderr.read().text.replaceAll('\0', '\uFFFD'),
    stdoutBytes: stdout.totalBytes,
    stderrBytes: stderr.totalBytes,
  }
}

const filesOf = async () => (await readdir(join(directory, 'spool'), { recursive: true })).map(String)

const wholeOf = async (text: {
  readAt(offset: number, length: number): Promise<{ bytes: Buffer }>
  totalBytes: number
}) => {
  const parts: Buffer[] = []
  for (let offset = 0; offset < text.totalBytes; ) {
    const { bytes } = await text.readAt(offset, 1_000_000)
    if (bytes.length === 0) break
    parts.push(bytes)
    offset += bytes.length
  }
  return Buffer.concat(parts)
}

describe('the whole output', () => {
  it('needs no file while it fits into a reply', async () => {
    const run = output()
    run.push('stdout', Buffer.alloc(32 * 1024, 'x'))
    run.close()
    expect(await filesOf()).toEqual([])
    expect(run.spool).toBeNull()
  })

  it('lies in a file that only this user can read, once it is longer', async () => {
    const run = output()
    run.push('stdout', Buffer.alloc(20_000, 'x'))
    run.push('stdout', Buffer.alloc(20_000, 'y'))
    const folder = join(directory, 'spool', run.spool!)
    expect((await stat(join(folder, 'stdout'))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect(await readdir(folder)).toEqual(['stdout'])
    run.close()
    expect((await readFile(join(folder, 'stdout'))).toString()).toBe('x'.repeat(20_000) + 'y'.repeat(20_000))
  })

  it('is read by offset during the run, after it, and from its row, the same bytes for any chunks', async () => {
    let number = 0
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 50 }).map((bytes) => bytes.filter((byte) => byte !== 0x0d && byte !== 0x1b)),
      fc.integer({ min: 1, max: 30_000 }).map((length) => Buffer.alloc(length, 'line\n')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 12 }), async (chunks) => {
        number += 1
        const run = output(number)
        for (const bytes of chunks) run.push('stdout', bytes)
        const whole = Buffer.concat(chunks)
        expect(await wholeOf(run.stdout)).toEqual(whole)
        run.close()
        expect(await wholeOf(run.stdout)).toEqual(whole)
        const restarted = await openSpool()
        const stored = await openStoredOutput(rowOf(run), restarted.run('owner', number))
        expect(await wholeOf(stored.stdout)).toEqual(whole)
        expect(stored.stdout.loss).toBeNull()
      }),
      { numRuns: 15 },
    )
  })

  it('takes late output after it was closed', async () => {
    const run = output()
    run.push('stdout', Buffer.alloc(40_000, 'x'))
    run.close()
    run.push('stdout', Buffer.from('late\n'))
    run.close()
    expect((await run.stdout.slice(-6, 100)).text).toBe('xlate\n')
    const stored = await openStoredOutput(rowOf(run), spool.run('owner', 1))
    expect((await wholeOf(stored.stdout)).length).toBe(40_005)
  })

  it('is searched on disk', async () => {
    const run = output()
    run.push('stdout', Buffer.from(`${'filler\n'.repeat(100_000)}needle 1\n${'filler\n'.repeat(100_000)}needle 2\n`))
    run.close()
    expect((await run.stdout.search('needle', 0, 1000)).matches).toEqual([
      { offset: 700_000, line: 'needle 1' },
      { offset: 1_400_009, line: 'needle 2' },
    ])
  })
})

describe('what cannot be kept', () => {
  it('is what comes after 64 MiB of both streams together: counted and said, the end still readable', async () => {
    const run = output()
    const chunk = Buffer.alloc(mebibyte, 'x')
    for (let i = 0; i < 40; i += 1) {
      run.push('stdout', chunk)
      run.push('stderr', chunk)
    }
    run.push('stderr', Buffer.from('the end\n'))
    run.close()
    const kept = (name: string) => stat(join(directory, 'spool', run.spool!, name)).then(({ size }) => size)
    expect((await kept('stdout')) + (await kept('stderr'))).toBe(runSpoolBytesMax)
    expect(run.stdout.totalBytes).toBe(40 * mebibyte)
    expect(run.losses.join()).toMatch(
      /Of stderr, \d+ bytes after the first \d+ are not kept: a run keeps at most 64 MiB/,
    )
    expect((await run.stderr.slice(-8, 100)).text).toBe('the end\n')
    // In the middle there is nothing: reading goes on where there is.
    const jump = await run.stderr.slice(await kept('stderr'), 100)
    expect(jump.offset).toBeGreaterThan(await kept('stderr'))
    expect(jump.text).toBe('x'.repeat(100))
    const stored = await openStoredOutput(rowOf(run), spool.run('owner', 1))
    expect(stored.stderr.loss).toMatch(/not, or no longer, kept/)
    expect(await stored.stderr.readAt(await kept('stderr'), 100)).toMatchObject({ offset: stored.stderr.totalBytes })
  })

  it('is what a disk refuses, which does not disturb the run', async () => {
    await rm(join(directory, 'spool'), { recursive: true })
    await writeFile(join(directory, 'spool'), 'a file where the folder should be')
    const run = output()
    run.push('stdout', Buffer.alloc(100_000, 'x'))
    run.close()
    expect(run.stdout.read().omittedBytes).toBe(100_000 - 32 * 1024)
    expect(run.losses).toEqual([
      'Of stdout, 100000 bytes after the first 0 are not kept: the disk refused it (ENOTDIR).',
    ])
    expect(spool.totalBytes).toBe(0)
  })

  it('is what would follow a link that somebody has put in its place', async () => {
    const folder = join(directory, 'spool', spool.run('owner', 1).folder)
    await mkdir(folder, { recursive: true })
    await symlink(join(directory, 'elsewhere'), join(folder, 'stdout'))
    const run = output()
    run.push('stdout', Buffer.alloc(100_000, 'x'))
    expect(run.losses.join()).toContain('the disk refused it (ELOOP)')
  })

  it('is what goes to make room: the oldest runs first, never one that is being written', async () => {
    spool = await openSpool(3 * mebibyte)
    const [open, old, newer] = [output(1), output(2), output(3)]
    for (const run of [open, old, newer]) run.push('stdout', Buffer.alloc(mebibyte, 'x'))
    old.close()
    newer.close()
    output(4).push('stdout', Buffer.alloc(mebibyte, 'x'))
    expect(spool.totalBytes).toBe(3 * mebibyte)
    expect(
      (await filesOf())
        .filter((name) => name.endsWith('stdout'))
        .map((name) => name.split('/')[1])
        .sort(),
    ).toEqual(['1', '3', '4'])
    expect((await old.stdout.slice(0, 100)).offset).toBeGreaterThan(0)
    expect(old.losses).toEqual(['Of stdout only the end is kept: its file is gone.'])
    old.push('stdout', Buffer.from('late'))
    old.close()
    expect(old.losses.join()).toContain('its file is gone')
  })

  it('is all that is new, when every run is being written and the room is used up', async () => {
    spool = await openSpool(mebibyte)
    const runs = [output(1), output(2)]
    for (const run of runs) run.push('stdout', Buffer.alloc(mebibyte, 'x'))
    expect(runs[1]!.losses.join()).toContain('spoolMiB')
    expect(spool.totalBytes).toBe(mebibyte)
  })
})

describe('the spool', () => {
  it('counts at its start what earlier workers have left, and keeps to its bound', async () => {
    for (const number of [1, 2, 3]) {
      const run = output(number)
      run.push('stdout', Buffer.alloc(mebibyte, 'x'))
      run.close()
    }
    expect((await openSpool()).totalBytes).toBe(3 * mebibyte)
    expect((await openSpool(2 * mebibyte)).totalBytes).toBe(2 * mebibyte)
    expect((await filesOf()).filter((name) => name.endsWith('stdout'))).toHaveLength(2)
  })

  it('forgets the runs whose rows are gone, and removes nothing else', async () => {
    for (const number of [1, 2, 3]) {
      const run = output(number)
      run.push('stdout', Buffer.alloc(100_000, 'x'))
      run.close()
    }
    await spool.forget([spool.run('somebody else', 3).folder, '..', '../..', `${spool.run('owner', 3).folder}/..`])
    await spool.forget([1, 2].map((number) => spool.run('owner', number).folder))
    expect((await filesOf()).filter((name) => name.endsWith('stdout'))).toEqual([
      `${spool.run('owner', 3).folder}/stdout`,
    ])
    expect(spool.totalBytes).toBe(100_000)
  })

  it('counts other files of a run, now and after a restart, and removes them with it', async () => {
    const place = spool.run('owner', 1)
    expect(place.reserve(mebibyte)).toBe(true)
    await mkdir(join(place.path, 'images'), { recursive: true })
    await writeFile(join(place.path, 'images', '1.png'), Buffer.alloc(mebibyte))
    expect(spool.totalBytes).toBe(mebibyte)
    const restarted = await openSpool(mebibyte)
    expect(restarted.totalBytes).toBe(mebibyte)
    expect(restarted.run('owner', 2).reserve(2 * mebibyte)).toBe(false)
    expect(restarted.run('owner', 2).reserve(1)).toBe(true)
    expect((await filesOf()).filter((name) => name.endsWith('png'))).toEqual([])
  })

  it('reads what a worker had written before it was killed', async () => {
    const run = output()
    run.push('stdout', Buffer.alloc(100_000, 'x\n'))
    const unknown = { stdout: null, stderr: null, stdoutBytes: null, stderrBytes: null }
    const stored = await openStoredOutput(unknown, (await openSpool()).run('owner', 1))
    expect(stored.stdout.totalBytes).toBe(100_000)
    expect(stored.stderr.totalBytes).toBe(0)
  })

  it('starts on a directory that it cannot read', async () => {
    await chmod(join(directory, 'spool'), 0)
    expect((await openSpool()).totalBytes).toBe(0)
    await chmod(join(directory, 'spool'), 0o700)
  })
})
