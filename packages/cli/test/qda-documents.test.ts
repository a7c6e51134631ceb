import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseQdaConfig } from '@callboard/qda/config'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { sectionSchema } from '../../qda/src/config/section-schema.js'
import { allTools } from '../../qda/src/tools/all-tools.js'
import type { QdaTool } from '../../qda/src/tools/qda-tool.js'
import { toolNames } from '../../qda/src/tools/tool-names.js'
import { blocks, chapter, examples, isPrinted, rowsOf, ShellInstallation } from './support/documents.js'
import { checkout, freePort } from './support/installation.js'

const forUsers = textOf('docs/qda.md')
const forOperators = textOf('docs/qda-operations.md')

describe('the tables', () => {
  const tools = allTools({ config: parseQdaConfig({}) } as never)
  const documented = rowsOf(chapter(forUsers, '## Tools', '## Writes')).filter(([name]) => /^`\w+`/.test(name!))
  const rowOf = (name: string) => documented.find(([first]) => nameIn(first!) === name)!

  it('have every tool, and none that there is not', () => {
    expect(documented.map(([first]) => nameIn(first!)).sort()).toEqual([...toolNames].sort())
  })

  it.each(tools)('have every argument of $name, in bold where it must be given', ({ name, input }) => {
    const given = [...rowOf(name)[1]!.matchAll(/(\*\*)?`(\w+)`/g)].map(([, bold, key]) => [key!, bold] as const)
    const bold = given.filter(([, isBold]) => isBold !== undefined).map(([key]) => key)
    const keys = Object.keys(input.shape).filter((key) => !common.includes(key))
    expect(keys.filter((key) => !given.some(([named]) => named === key))).toEqual([])
    expect(bold.sort()).toEqual(keys.filter((key) => !input.shape[key]!.safeParse(undefined).success).sort())
  })

  it.each(tools)('have every key of the answer of $name, and whether it stands at the top', (tool) => {
    const row = rowOf(tool.name)
    const named = wordsIn(row[2]!)
    // What an answer has in common with another tool's is told there.
    const others = named.filter((word) => toolNames.some((name) => name === word)).map((name) => rowOf(name)[2]!)
    const told = [...named, ...others.flatMap(wordsIn)]
    expect(keysOf(tool).filter((key) => !told.includes(key))).toEqual([])
    expect(row[0]!.includes('◆')).toBe(tool.isFlat === true)
  })

  it('mark the tools that show first what they would do', () => {
    const marked = documented.filter((row) => row.some((cell) => cell.includes('✋'))).map(([first]) => nameIn(first!))
    const confirmed = tools.filter(
      (tool) => 'preview' in tool || 'needsConfirm' in tool || (tool.kind === 'rows' && tool.level === 'T3'),
    )
    expect(marked.sort()).toEqual(confirmed.map(({ name }) => name).sort())
  })

  it('have every code of failures', () => {
    const told = wordsIn(chapter(forUsers, '## Errors', '## Limits'))
    expect(told.filter((code) => /^[A-Z_/]+$/.test(code)).sort()).toEqual([...failureCodes(), 'TOOL_NOT_FOUND'].sort())
  })

  it('have every code that troubles operators as it is spelt', () => {
    const told = wordsIn(chapter(forOperators, '## Troubleshooting', '`callboard doctor`'))
    const known = [...failureCodes(), 'TOOL_NOT_FOUND']
    expect(told.filter((code) => /^[A-Z]+_[A-Z_/]+$/.test(code) && !known.includes(code))).toEqual([])
  })

  it('have every key of the configuration, and its default', () => {
    const rows = rowsOf(chapter(forOperators, '## Configuration', '**Variables**')).slice(1)
    expect(rows.map(([first]) => nameIn(first!))).toEqual(Object.keys(sectionSchema.shape))
    const inForce: Readonly<Record<string, unknown>> = sectionSchema.parse({})
    for (const [key, written] of rows) {
      const value = inForce[nameIn(key!)]
      if (typeof value !== 'object') expect([key, written!.replaceAll('`', '')]).toEqual([key, String(value)])
    }
  })
})

it('every section for the config file in the documents is valid', () => {
  const files = [forOperators, textOf('docs/operators.md')].flatMap((text) => blocks(text, 'json'))
  const sections = files.flatMap((json) => JSON.parse(json).qda ?? [])
  expect(sections.length).toBe(2)
  for (const section of sections) parseQdaConfig(section, '/home/ada')
})

it('every JSON of docs/qda.md can be read', () => {
  for (const json of blocks(forUsers, 'json')) JSON.parse(json)
  expect(blocks(forUsers, 'json').length).toBeGreaterThan(3)
})

it('the commands of docs/qda.md run as they are written, and print what is written', async () => {
  const reader = await Reader.begin()
  const [demo, up, ...others] = examples(forUsers)
  await reader.follow(demo!)
  await reader.start(up!.command)
  expect(others.length).toBeGreaterThan(10)
  for (const example of others) await reader.follow(example)
}, 120_000)

it('the commands of docs/qda-operations.md run as they are written, and print what is written', async () => {
  const reader = await Reader.begin()
  const [mistakes, first, ...others] = examples(forOperators)
  await reader.follow(mistakes!)
  const [demo, up, ...calls] = first!.command.split('\n')
  await reader.run(demo!)
  await reader.start(up!)
  await reader.follow({ command: calls.join('\n'), printed: first!.printed })
  expect(others.length).toBeGreaterThan(1)
  for (const example of others) await reader.follow(example)
}, 120_000)

it('the commands that the demo prints run', async () => {
  const reader = await Reader.begin()
  const said = await reader.run('callboard demo qda')
  const commands = said.split('\n').filter((line) => /^ {2}(callboard|curl) /.test(line))
  expect(commands.length).toBe(5)
  await reader.start('callboard up --workers qda')
  // Each of them in order: the first one opens the project for those after it.
  const answers = await reader.run(commands.join('\n'))
  expect(answers.match(/^ {2}"success": (true|false)/gm)).toEqual(commands.map(() => '  "success": true'))
}, 60_000)

/** Somebody who types what a document says; the places and ids in it are of another day. */
class Reader {
  readonly #shell: ShellInstallation
  readonly #port: number
  /** By the ids of the document: those that took their place. */
  readonly #ids = new Map<string, string>()

  private constructor(port: number) {
    this.#port = port
    this.#shell = new ShellInstallation({ CALLBOARD_WORKERS: 'qda', CALLBOARD_HTTP: `127.0.0.1:${port}` })
  }

  static async begin(): Promise<Reader> {
    const reader = new Reader(await freePort())
    // As on a terminal, where curl shows no progress of what it prints.
    await reader.run('echo silent > "$HOME/.curlrc"')
    return reader
  }

  start(command: string): Promise<string> {
    return this.#shell.start(command, /qda +ready/)
  }

  /** What is printed, with each JSON broken into lines. */
  async run(command: string): Promise<string> {
    const { stdout, stderr } = await this.#shell.run(`exec 2>&1\n${this.#here(command)}`)
    return pretty(stdout + stderr)
  }

  async follow({ command, printed }: { readonly command: string; readonly printed: string | undefined }) {
    expect(printed, command).toBeDefined()
    const said = this.#there(await this.run(command))
    for (const [id, other] of pairs(idsIn(printed!), idsIn(said))) this.#ids.set(id, other)
    const [written, shown] = [comparable(printed!), comparable(said)]
    if (!isPrinted(written, shown)) expect(shown, command).toBe(written)
  }

  #here(command: string): string {
    let here = command.replaceAll('localhost:8765', `localhost:${this.#port}`).replaceAll('/home/ada', '$PWD')
    for (const [id, other] of this.#ids)
      here = here.replaceAll(id, other).replaceAll(` ${id.slice(0, 8)}`, ` ${other.slice(0, 8)}`)
    // In single quotes the shell would not see it.
    return here.replace(/'([^']*)\$PWD([^']*)'/g, `'$1'"$PWD"'$2'`)
  }

  #there(said: string): string {
    return said.replace(/\/[^" ]*\/cb-\w+(?=\/)/g, '/home/ada')
  }
}

/** Change sets, suggestions and backups, each where it first stands. */
function idsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [, key, id] of text.matchAll(/"(change_set_id|suggestion_id|name)": "([0-9a-f-]{36}|.*_CB_[\d_]+\.qda)"/g))
    found.set(key!, [...(found.get(key!) ?? []), id!])
  return found
}

function* pairs(written: ReturnType<typeof idsIn>, said: ReturnType<typeof idsIn>) {
  for (const [key, ids] of written)
    for (const [index, id] of ids.entries()) {
      const other = said.get(key)?.[index]
      if (other !== undefined) yield [id, other] as const
    }
}

/** Without what differs each time: ids, times, and the widths of columns. */
function comparable(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'UUID')
    .replace(/^[0-9a-f]{8}(?= )/gm, 'UUID')
    .replace(/_CB_\d{8}_\d{6}/g, '_CB_TIME')
    .replace(/(?<=agent:main +)\d+ \w+/g, 'AGE')
    .replace(/(?<=\S) {2,}/g, ' ')
}

/** Each line that is JSON, broken into lines as on a terminal; an answer of curl has no end of line. */
function pretty(text: string): string {
  return text
    .replaceAll('}{"', '}\n{"')
    .split('\n')
    .map((line) => (line.startsWith('{') ? JSON.stringify(JSON.parse(line), undefined, 2) : line))
    .join('\n')
}

const common = ['dry_run', 'request_id', 'confirm', 'preview_token']

function keysOf({ data }: QdaTool): readonly string[] {
  const shape = data.type === 'array' ? (data as z.ZodArray<z.ZodObject>).element.shape : (data as z.ZodObject).shape
  const told = ['change_set_id', 'dry_run', 'replayed', 'message']
  return Object.keys(shape).filter((key) => !told.includes(key))
}

/** The type is all there is of them. */
function failureCodes(): readonly string[] {
  const type = chapter(textOf('packages/qda/src/failure.ts'), 'export type FailureCode', 'export interface')
  return [...type.matchAll(/^ {2}\| (['`])(.*)\1$/gm)].flatMap(([, , code]) => {
    const [, before, choices] = /^(.*)\$\{(.*)\}$/.exec(code!) ?? []
    return choices === undefined ? [code!] : choices.split(' | ').map((choice) => before! + choice.slice(1, -1))
  })
}

const nameIn = (cell: string): string => /`(\w+)`/.exec(cell)![1]!

const wordsIn = (text: string): readonly string[] => [...text.matchAll(/`([\w/]+)`/g)].map(([, word]) => word!)

function textOf(path: string): string {
  return readFileSync(join(checkout, path), 'utf8')
}
