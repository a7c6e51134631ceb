import { readFile } from 'node:fs/promises'
import { secretFiles } from '@callboard/hub'
import type { Environment } from '../environment.js'
import { UsageError } from '../usage-error.js'
import { control, HubRefusal } from './hub-socket.js'
import { runtimeFiles } from './runtime-files.js'

/**
 * A command that only an operator may give, and what the hub says to it. Rejects with what the system says when no hub runs.
 * @throws UsageError when there is no secret to show, or when it is another hub's.
 */
export async function operate(environment: Environment, command: object): Promise<Record<string, unknown>> {
  const token = await operatorToken(environment)
  try {
    return await control(runtimeFiles(environment.runtimeDirectory).mcpSocket, { ...command, token })
  } catch (error) {
    if (!(error instanceof HubRefusal) || error.code !== 'forbidden') throw error
    throw otherSecret(environment)
  }
}

/** What shows that this is an operator. @throws UsageError when there is nothing to show. */
export async function operatorToken({ token, dataDirectory }: Environment): Promise<string> {
  return token ?? (await readOperatorSecret(dataDirectory))
}

/** For a hub that does not take it. */
export function otherSecret({ token }: Environment): UsageError {
  return new UsageError(
    token === undefined
      ? 'This hub has another operator secret: set CALLBOARD_DATA to its data directory or CALLBOARD_TOKEN to its operator secret.'
      : 'This hub has another operator secret than CALLBOARD_TOKEN: set that to its operator secret, or unset it and set CALLBOARD_DATA to its data directory.',
  )
}

async function readOperatorSecret(dataDirectory: string): Promise<string> {
  const file = secretFiles(dataDirectory).operator
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      `The operator secret ${file} can't be read (${code ?? error}): set CALLBOARD_DATA to the hub's data directory or CALLBOARD_TOKEN to its operator secret.`,
    )
  }
}
