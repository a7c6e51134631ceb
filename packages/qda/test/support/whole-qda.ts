import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, VirtualClock } from '@callboard/worker/testing'
import Database from 'better-sqlite3'
import { qdaService } from '../../src/create-qda-worker.js'
import { projectStatements } from '../../src/format/project-ddl.js'
import { openQda } from '../../src/open-qda.js'

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers.
export type TestAnswer = { readonly [key: string]: any }

/** The whole worker over real project folders. `await using` closes it and removes them. */
export interface QdaForTest extends AsyncDisposable {
  /** With all links followed; holds the projects. */
  readonly folder: string
  readonly clock: VirtualClock
  readonly link: TestLink
  /** The answer as an agent gets it, failures too. */
  call(tool: string, args?: object, options?: TestCallOptions): Promise<TestAnswer>
  /** A new and empty project of QualCoder 4.0; the path of its folder. */
  makeProject(name?: string): string
  /** The same, and opens it in the default session. */
  openProject(name?: string): Promise<string>
  /** The project's own database, without the worker; closed at the end. */
  db(path: string): Database.Database
}

export async function openQdaForTest({ config }: { readonly config?: unknown } = {}): Promise<QdaForTest> {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), 'qda-test-')))
  const clock = new VirtualClock()
  const worker = defineWorker({ ...qdaService, version: '0.0.0' })
  const variables = { CALLBOARD_LOG_LEVEL: 'error' }
  const qda = await openQda(worker, { dataDirectory: join(folder, 'data'), config, variables }, { clock })
  const link = await connectForTest(worker, { now: clock.now })
  const databases = new Map<string, Database.Database>()

  async function call(tool: string, args: object = {}, options: TestCallOptions = {}): Promise<TestAnswer> {
    const { structuredContent } = await link.callTool(tool, { ...args }, options)
    return structuredContent as TestAnswer
  }

  function db(path: string): Database.Database {
    const found = databases.get(path) ?? new Database(join(path, 'data.qda'))
    databases.set(path, found)
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
    link,
    call,
    makeProject,
    db,
    async openProject(name) {
      const path = makeProject(name)
      const { success, error } = await call('open_project', { path })
      if (success !== true) throw new Error(`the project could not be opened: ${error}`)
      return path
    },
    async [Symbol.asyncDispose]() {
      for (const database of databases.values()) database.close()
      try {
        await link.close()
      } finally {
        await qda.close()
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}
