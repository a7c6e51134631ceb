import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('../../dist/chaos/run.js', import.meta.url))

it.each([
  ['overload', '4', '600'],
  ['hub-restart', '6', '100'],
  ['soak', '6', '50'],
])(
  'a short run of %s keeps its promises, and leaves nothing',
  async (name, seconds, rate) => {
    const directory = mkdtempSync(join(tmpdir(), 'chaos-'))
    const env = { PATH: process.env['PATH'] ?? '', TMPDIR: directory }
    const words = [program, name, '--seconds', seconds, '--rate', rate, '--lenient-times']
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => {
      child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.resume()
    await once(child, 'close')
    expect(missedIn(stdout)).toEqual([])
    expect(readdirSync(directory)).toEqual([])
  },
  120_000,
)

/** From the line for programs, which is the last one. */
function missedIn(stdout: string): string[] {
  const { checks } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as {
    checks: { what: string; isMet: boolean; about: string }[]
  }
  return checks.filter(({ isMet, about }) => !isMet && about === 'correctness').map(({ what }) => what)
}
