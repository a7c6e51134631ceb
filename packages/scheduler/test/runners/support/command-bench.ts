import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandRunnerConfig } from '../../../src/groups/group.js'
import { CommandRunner } from '../../../src/runners/command-runner.js'
import { Conversations } from '../../../src/runners/conversations.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from '../../support/test-foundation.js'

export interface CommandBench extends AsyncDisposable {
  readonly foundation: TestFoundation
  readonly conversations: Conversations
  readonly runner: CommandRunner
  /** Of every group. */
  readonly directory: string
}

export interface CommandBenchOptions extends TestFoundationOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly runtimeDirectory?: string
  readonly hubUrl?: string
}

/** A runner of real programs, with a directory for its groups and time that a test moves. */
export async function openCommandBench(options: CommandBenchOptions = {}): Promise<CommandBench> {
  const { environment = { PATH: '/usr/local/bin:/usr/bin:/bin' }, runtimeDirectory, hubUrl } = options
  const foundation = await openTestFoundation(options)
  const directory = await mkdtemp(join(tmpdir(), 'callboard-group-'))
  const conversations = new Conversations(foundation.store, foundation.clock)
  const runner = new CommandRunner({
    clock: foundation.clock,
    groups: { directoryOf: async () => directory },
    conversations,
    environment,
    log: foundation.log,
    ...(runtimeDirectory !== undefined && { runtimeDirectory }),
    ...(hubUrl !== undefined && { hubUrl }),
  })
  return {
    foundation,
    conversations,
    runner,
    directory,
    async [Symbol.asyncDispose]() {
      await foundation[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** One of the programs beside this folder, as a group's runner. */
export function program(
  name: string,
  rest: Partial<Omit<CommandRunnerConfig, 'argv'>> & { readonly arguments?: readonly string[] } = {},
): CommandRunnerConfig {
  const { arguments: given = [], ...config } = rest
  const path = fileURLToPath(new URL(`../programs/${name}.mjs`, import.meta.url))
  return { kind: 'command', argv: [process.execPath, path, ...given], sessionArgs: [], promptVia: 'stdin', ...config }
}

export const claude = program('claude', {
  arguments: ['-p', '--output-format', 'json'],
  sessionArgs: ['--resume', '{session_id}'],
  resultFrom: 'json:result',
  sessionFrom: 'json:session_id',
})

/** Runs a piece of JavaScript in a process of its own. */
export function script(code: string): CommandRunnerConfig {
  return program('talks', { arguments: [code] })
}
