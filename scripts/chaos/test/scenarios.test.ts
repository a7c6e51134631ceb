import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const program = fileURLToPath(new URL('../../dist/chaos/run.js', import.meta.url))

/** Where the program and all that it starts have their files. */
let directory = ''
const children: ChildProcess[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chaos-'))
})

afterEach(() => {
  // Those that a failed test has left.
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

// So few that no queue of the hub is full before the end, however slow the machine is.
const rate = '100'

describe('a short run keeps every promise under real signals', () => {
  it.each([
    ['failover', '3'],
    ['rolling', '3'],
    ['pause', '8'],
  ])('%s', async (name, seconds) => {
    const child = start(name, '--seconds', seconds, '--rate', rate, '--lenient-times')
    const { code, stdout, stderr } = await endOf(child)
    expect(missedIn(stdout)).toEqual([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(left()).toEqual([])
  })
})

describe('the command line', () => {
  it('says which scenario was meant', async () => {
    const { code, stderr } = await endOf(start('failovr'))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('did you mean failover?') })
  })

  it.each([
    [['failover', '--rate', 'much'], '--rate must be a number above 0, not much.'],
    [['failover', 'rolling'], 'One scenario at a time, not also rolling.'],
    [['failover', '--json', '/nowhere/at/all'], '--json: '],
    [['failover', '--fast'], '--fast'],
    [[], 'Which scenario?'],
  ])('%j is refused', async (words, said) => {
    const { code, stderr } = await endOf(start(...words))
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) })
  })

  it('helps', async () => {
    const { code, stdout } = await endOf(start('--help'))
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('npm run chaos -- failover') })
  })
})

it('leaves no process and no file when it is interrupted', async () => {
  const child = start('failover', '--seconds', '60', '--rate', '50')
  const end = endOf(child)
  // Its generator asks: all processes are there.
  await vi.waitFor(() => expect(processes().filter((line) => line.includes('load-program'))).toHaveLength(1), {
    timeout: 30_000,
  })
  child.kill('SIGINT')
  expect(await end).toMatchObject({ code: 130 })
  await vi.waitFor(() => expect([...left(), ...processes()]).toEqual([]), { timeout: 10_000 })
})

function start(...words: string[]): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: directory }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  return child
}

async function endOf(child: ChildProcess) {
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr!.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** From the line for programs, which is the last one. */
function missedIn(stdout: string): unknown {
  const { checks } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as {
    checks: { isMet: boolean; about: string }[]
  }
  return checks.filter(({ isMet, about }) => !isMet && about === 'correctness')
}

const left = (): string[] => readdirSync(directory)

/** Command lines that name the directory: those of the replicas and of the generator. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
    .filter((line) => line.includes(directory))
}
