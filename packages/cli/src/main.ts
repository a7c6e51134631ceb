import { directCommand } from './direct-command.js'
import { readEnvironment } from './environment.js'
import { describeFileProblem } from './file-problem.js'
import { complain, exit } from './output.js'
import { CommandError, UsageError } from './usage-error.js'

/** Runs one command. Exit codes: 0 done, 1 failed, 2 something for the user to change. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await (directCommand(words) ?? commandLine)(words)
  } catch (error) {
    await exit(explain(error))
  }
}

async function commandLine(words: readonly string[]): Promise<void> {
  const [{ CommanderError }, { createProgram, withoutVainHelp }] = await Promise.all([
    import('commander'),
    import('./program.js'),
  ])
  try {
    const program = createProgram()
    await program.parseAsync(withoutVainHelp(program, words), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander has said it already.
    await exit(error.exitCode === 0 ? 0 : 2)
  }
}

function explain(error: unknown): number {
  if (error instanceof UsageError || error instanceof CommandError) {
    complain(`callboard: ${error.message}`)
    return error instanceof UsageError ? 2 : 1
  }
  const fileProblem = describeFileProblem(error, readEnvironment())
  if (fileProblem !== undefined) {
    complain(`callboard: ${fileProblem}`)
    return 2
  }
  // A missing build is explained by whoever started us.
  if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') throw error
  complain(`callboard: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return 1
}
