import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('../../dist/bench/run.js', import.meta.url))
const lineSubjects = [
  'direct',
  'proxy',
  'raw',
  'hub',
  'hub-checked',
  'shim',
  'socket-keys-policy',
  'socket-audit',
  'socket-modern',
]
const httpSubjects = ['node-http', 'http', 'http-modern']

it('a short run gets right answers from every kind of subject, and leaves nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const scratch = mkdtempSync(join(directory, 'tmp-'))
  const json = join(directory, 'figures.json')
  const only = ['throughput-16', 'payload-10kb', 'http-1', ...lineSubjects, ...httpSubjects].join(',')
  // It ends with 0, since nothing is judged.
  const words = [program, '--quick', '--rounds', '1', '--only', only, '--json', json]
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: scratch }
  const { stdout } = await promisify(execFile)(process.execPath, words, { env })
  const { results, absent } = JSON.parse(readFileSync(json, 'utf8'))
  // The client compares every answer with what it asked: a subject with a wrong one is left out.
  expect(absent).toEqual({})
  const found = results.map(({ scenario, subjects }: Result) => [scenario.name, subjects.map(({ name }) => name)])
  expect(found).toEqual([
    ['throughput-16', lineSubjects],
    ['http-1', httpSubjects],
    ['payload-10kb', lineSubjects],
  ])
  for (const { subjects } of results as Result[]) {
    for (const { callsPerSecond, hubCpuUs, p50Us } of subjects) {
      expect(Math.min(callsPerSecond, hubCpuUs, p50Us)).toBeGreaterThan(0)
    }
  }
  expect(stdout).toContain('callboard hub --stdio, checked')
  expect(stdout).toMatch(/ not judged$/m)
  expect(readdirSync(scratch)).toEqual([])
})

interface Result {
  readonly scenario: { readonly name: string }
  readonly subjects: readonly {
    readonly name: string
    readonly callsPerSecond: number
    readonly hubCpuUs: number
    readonly p50Us: number
  }[]
}
