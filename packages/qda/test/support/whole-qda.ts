import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, VirtualClock } from '@callboard/worker/testing'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import Database from 'better-sqlite3'
import { qdaService } from '../../src/create-qda-worker.js'
import { projectStatements } from '../../src/format/project-ddl.js'
import { openQda } from '../../src/open-qda.js'
import type { ToolsOf } from '../../src/tools/register-tools.js'

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers.
export type TestAnswer = { readonly [key: string]: any }

/** The whole worker over real project folders. `await using` closes it and removes them. */
export interface QdaForTest extends AsyncDisposable {
  /** With all links followed; holds the projects. */
  readonly folder: string
  readonly clock: VirtualClock
  readonly link: TestLink
  /** The answer as an agent gets it, failures too; checked as clients check it. */
  call(tool: string, args?: object, options?: TestCallOptions): Promise<TestAnswer>
  /** A new and empty project of QualCoder 4.0; the path of its folder. */
  makeProject(name?: string): string
  /** The same, and opens it in the default session. */
  openProject(name?: string): Promise<string>
  /** The project's own database, without the worker; closed at the end. Or another one of its folder. */
  db(path: string, file?: string): Database.Database
  /** The worker ends, and starts again. */
  restart(): Promise<void>
}

export interface QdaForTestOptions {
  readonly config?: unknown
  /** Default: all there are. */
  readonly tools?: ToolsOf
}

export async function openQdaForTest({ config, tools }: QdaForTestOptions = {}): Promise<QdaForTest> {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), 'qda-test-')))
  const clock = new VirtualClock()
  const databases = new Map<string, Database.Database>()
  let running = await start()

  async function start() {
    const worker = defineWorker({ ...qdaService, version: '0.0.0' })
    const options = { dataDirectory: join(folder, 'data'), config, variables: { CALLBOARD_LOG_LEVEL: 'silent' } }
    const qda = await openQda(worker, options, { clock, ...(tools !== undefined && { tools }) })
    return { qda, link: await connectForTest(worker, { now: clock.now }) }
  }

  async function stop(): Promise<void> {
    try {
      await running.link.close()
    } finally {
      await running.qda.close()
    }
  }

  async function call(tool: string, args: object = {}, options: TestCallOptions = {}): Promise<TestAnswer> {
    const result = await running.link.callTool(tool, { ...args }, options)
    const schema = running.link.definitions.tools?.find(({ name }) => name === tool)?.outputSchema
    checkResult(tool, result, schema)
    return result.structuredContent as TestAnswer
  }

  function db(path: string, file = 'data.qda'): Database.Database {
    const found = databases.get(join(path, file)) ?? new Database(join(path, file))
    databases.set(join(path, file), found)
    found.pragma('synchronous = OFF')
    return found
  }

  function makeProject(name = 'Study'): string {
    const path = join(folder, `${name}.qda`)
    for (const inner of ['documents', 'images', 'audio', 'video']) mkdirSync(join(path, inner), { recursive: true })
    db(path).exec(`BEGIN; ${projectStatements().join(';')};
      INSERT INTO project (databaseversion, date, memo, about, bookmarkfile, bookmarkpos, codername, recently_used_codes)
       VALUES ('v17', '2026-03-02 12:00:00', '', 'QualCoder 4.0 Beta', 0, 0, 'ada', ''); COMMIT`)
    return path
  }

  return {
    folder,
    clock,
    get link() {
      return running.link
    },
    call,
    makeProject,
    db,
    async openProject(name) {
      const path = makeProject(name)
      const { success, error } = await call('open_project', { path })
      if (success !== true) throw new Error(`the project could not be opened: ${error}`)
      return path
    },
    async restart() {
      await stop()
      running = await start()
    },
    async [Symbol.asyncDispose]() {
      for (const database of databases.values()) database.close()
      try {
        await stop()
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

type ToolResult = Awaited<ReturnType<TestLink['callTool']>>

const validator = new AjvJsonSchemaValidator()
/** By the schema as text; to compile one takes longer than most tests. */
const validators = new Map<string, (answer: unknown) => { readonly valid: boolean; readonly errorMessage?: string }>()

/** One object, in both places the same, of the announced shape, and marked as an error if and only if it is one. */
function checkResult(tool: string, result: ToolResult, schema: unknown): void {
  const { structuredContent, content, isError = false } = result
  const [block, ...others] = content
  // The text of an answer that is too large for a message in both forms is behind a link.
  const isLinked = others.length > 0 && others.every(({ type }) => type === 'resource_link')
  if (block?.type !== 'text' || !(isLinked || others.length === 0)) throw new Error(`${tool}: not one text`)
  if (!isLinked && !isDeepStrictEqual(JSON.parse(block.text as string), structuredContent))
    throw new Error(`${tool}: not the same as text`)
  if ((structuredContent as TestAnswer)['success'] !== !isError)
    throw new Error(`${tool}: ${block.text} with isError ${isError}`)
  const { valid, errorMessage } = validatorOf(schema)(structuredContent)
  if (!valid) throw new Error(`${tool}: ${errorMessage} in ${block.text}`)
}

function validatorOf(schema: unknown) {
  const key = JSON.stringify(schema)
  const known = validators.get(key) ?? validator.getValidator(schema as never)
  validators.set(key, known as never)
  return known
}
