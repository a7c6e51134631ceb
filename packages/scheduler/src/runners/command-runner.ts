import type { Clock } from '@callboard/worker/clock'
import type { Variables } from '../environment.js'
import type { CommandRunnerConfig, Groups } from '../groups/group.js'
import { citedTextMax } from '../limits.js'
import type { Log } from '../log.js'
import { childEnvironment, type HubPlaces } from './child-environment.js'
import { commandLine } from './command-line.js'
import type { Conversations } from './conversations.js'
import { type Extraction, parseExtraction } from './extraction.js'
import { type ProgramEnd, runProgram } from './program.js'
import { type Findings, ProgramOutput } from './program-output.js'
import type { RunError, Runner, RunReport, RunRequest } from './runner.js'

export interface CommandRunnerOptions extends HubPlaces {
  readonly clock: Clock
  readonly groups: Pick<Groups, 'directoryOf'>
  readonly conversations: Conversations
  /** From which a program gets what it was promised by name, and nothing else. */
  readonly environment: Variables
  readonly log: Log
}

/** Runs a group's program in the group's directory, with the prompt on its standard input. */
export class CommandRunner implements Runner {
  readonly #options: CommandRunnerOptions

  constructor(options: CommandRunnerOptions) {
    this.#options = options
  }

  async run(request: RunRequest, signal: AbortSignal): Promise<RunReport> {
    const { conversations } = this.#options
    const runner = commandOf(request)
    const isContinued = request.contextMode === 'group' && runner.sessionArgs.length > 0
    const stored = isContinued ? await conversations.sessionOf(request.group) : undefined
    const first = await this.#attempt(request, runner, stored, signal)
    const isRejected = stored !== undefined && !signal.aborted && hasRejected(first)
    const { report, sessionId } = isRejected ? afresh(await this.#attempt(request, runner, undefined, signal)) : first
    if (request.contextMode === 'group' && sessionId !== undefined && report.error === undefined && !signal.aborted) {
      await conversations.saveSession(request.group, sessionId)
    }
    return report
  }

  async #attempt(
    request: RunRequest,
    runner: CommandRunnerConfig,
    sessionId: string | undefined,
    signal: AbortSignal,
  ): Promise<Attempt> {
    if (signal.aborted) return failed('exit', 'The run was stopped before its program began.', true)
    const { groups, clock, environment } = this.#options
    const [resultFrom, sessionFrom] = [extractionOf(runner.resultFrom), extractionOf(runner.sessionFrom)]
    let directory: string
    try {
      directory = await groups.directoryOf(request.group)
    } catch (error) {
      return failed('bad_config', `The group's directory can't be used: ${(error as Error).message}`, false)
    }
    const command = commandLine(runner, directory, sessionId)
    if (typeof command === 'string') return failed('bad_config', `Group ${request.group.folder}: ${command}`, false)
    const output = new ProgramOutput(request.token, resultFrom, sessionFrom)
    const start = {
      command,
      directory,
      environment: childEnvironment(request, environment, this.#options),
      input: request.prompt,
      onProcess: (child: Parameters<RunRequest['onProcess']>[0]) => request.onProcess(child),
      onStdout: (bytes: Buffer) => output.pushStdout(bytes),
      onStderr: (bytes: Buffer) => output.pushStderr(bytes),
    }
    const end = await runProgram(start, clock, signal)
    if ('error' in end) return notStarted(command[0], request.group.folder, end.error)
    if (end.leftovers) this.#options.log.warn({ run: request.runId }, 'a process of this run could not be ended')
    return reported(end, output.end())
  }
}

/** One try of the program, and the session that it names. */
interface Attempt {
  readonly report: RunReport
  readonly sessionId?: string
  readonly hasResult: boolean
}

function commandOf({ group }: RunRequest): CommandRunnerConfig {
  if (group.runner?.kind !== 'command') throw new Error(`group ${group.folder} has no command`)
  return group.runner
}

/** The groups file was checked: what is wrong here is our fault. */
function extractionOf(text: string | undefined): Extraction | undefined {
  if (text === undefined) return undefined
  const extraction = parseExtraction(text)
  if ('problem' in extraction) throw new Error(`result_from or session_from ${extraction.problem}`)
  return extraction
}

/**
 * Each program says in words of its own that it does not know a session, so this looks at what it does: it fails and has no
 * result. A run that broke off for another reason is taken for one, too; the other way round a group would be stuck for ever.
 */
function hasRejected({ report, hasResult }: Attempt): boolean {
  return report.exitCode !== undefined && report.exitCode !== 0 && !hasResult
}

function afresh({ report, ...rest }: Attempt): Attempt {
  const warning = 'The program did not continue its stored session, so it was run once more with a fresh one.'
  return { ...rest, report: { ...report, warnings: [warning, ...(report.warnings ?? [])] } }
}

function reported(end: Exclude<ProgramEnd, { error: unknown }>, findings: Findings): Attempt {
  const { text, hasResult, stderr, sessionId, usage, warnings } = findings
  const error = errorOf(end, findings)
  return {
    hasResult,
    ...(sessionId !== undefined && { sessionId }),
    report: {
      text,
      ...usage,
      ...(error !== undefined && { error }),
      ...(stderr !== '' && { stderrTail: stderr }),
      ...(end.code !== null && { exitCode: end.code }),
      ...(end.signal !== null && { signal: end.signal }),
      ...(sessionId !== undefined && { sessionId }),
      ...(warnings.length > 0 && { warnings }),
    },
  }
}

function errorOf(
  { code, signal }: Exclude<ProgramEnd, { error: unknown }>,
  { stderr, text }: Findings,
): RunError | undefined {
  if (code === 0) return undefined
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
  const said = lastLine(stderr) ?? lastLine(text)
  return { class: 'exit', text: `The program ${how}${said === undefined ? '.' : `: ${said}`}`, transient: true }
}

function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1)?.trim().slice(0, citedTextMax) || undefined
}

function notStarted(program: string, folder: string, { code, message }: NodeJS.ErrnoException): Attempt {
  switch (code) {
    case 'ENOENT':
      return failed(
        'missing_program',
        `There is no program ${program}: install it, or correct argv of ${folder}.`,
        false,
      )
    case 'EACCES':
    case 'ENOEXEC':
      return failed('missing_program', `${program} may not be executed: correct argv of ${folder}.`, false)
    case 'E2BIG':
    case 'ENAMETOOLONG':
    case 'ERR_INVALID_ARG_VALUE':
      return failed('bad_config', `${program} can't be started with the argv of ${folder}: ${message}`, false)
    default:
      return failed('internal', `${program} could not be started: ${message}`, true)
  }
}

function failed(errorClass: RunError['class'], text: string, transient: boolean): Attempt {
  return { hasResult: false, report: { text: '', error: { class: errorClass, text, transient } } }
}
