import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binary, collect, type Finished, Installation, untilSaid } from './installation.js'

/** One block of commands, and the block that shows what they print. */
export interface Example {
  /** With its lines. */
  readonly command: string
  readonly printed: string | undefined
}

/** An installation with a shell in which `callboard` is a program, as it is for readers of the documents. */
export class ShellInstallation {
  readonly #installation: Installation
  readonly #environment: Record<string, string>

  constructor(variables: Record<string, string> = {}) {
    this.#installation = new Installation(variables)
    const { directory, environment } = this.#installation
    const programs = join(directory, 'bin')
    mkdirSync(programs)
    writeFileSync(join(programs, 'callboard'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`, {
      mode: 0o755,
    })
    this.#environment = { ...environment, PATH: `${programs}:${environment['PATH']}` }
  }

  /** What stays: resolves with all that it has said when it has said that. */
  async start(command: string, words: RegExp): Promise<string> {
    const child = this.#spawn(command)
    const said = [untilSaid(child, child.stdout, words), untilSaid(child, child.stderr, words)]
    // One of them never comes, until the process ends.
    for (const each of said) each.catch(() => undefined)
    return Promise.any(said)
  }

  async run(command: string, input = ''): Promise<Finished> {
    const child = this.#spawn(command)
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    child.stdin.on('error', () => {}).end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout: stdout(), stderr: stderr() }
  }

  #spawn(command: string): ChildProcessWithoutNullStreams {
    return spawn('/bin/sh', ['-c', command], { env: this.#environment, cwd: this.#installation.directory })
  }
}

/** From one heading or phrase to the next. */
export function chapter(text: string, from: string, to: string): string {
  const begin = text.indexOf(from)
  const end = text.indexOf(to, begin)
  if (begin === -1 || end === -1) throw new Error(`there is nothing from ${from} to ${to}`)
  return text.slice(begin, end)
}

/** Of all tables, without what is between head and body. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

export function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((match) => match[1]!)
}

/** Blocks for a shell, in order. What is printed stands right after it, or after the next paragraph. */
export function examples(text: string): readonly Example[] {
  const found = [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language, body]) => ({ language, body: body! }))
  return found.flatMap(({ language, body }, index) => {
    if (language !== 'sh') return []
    const next = found[index + 1]
    return [{ command: body.trimEnd(), printed: next?.language === '' ? next.body : undefined }]
  })
}

/** Whether all written lines are among the printed ones, in order. `…` stands for others; times differ, and marks of a forum's address. */
export function isPrinted(written: string, printed: string): boolean {
  const lines = linesOf(printed)
  let from = 0
  return linesOf(written).every((line) => {
    if (line === '…') return true
    const at = lines.indexOf(line, from)
    from = at + 1
    return at !== -1
  })
}

function linesOf(text: string): readonly string[] {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"[0-9a-f]{8}\.(\d+)/g, '"MARK.$1')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}
