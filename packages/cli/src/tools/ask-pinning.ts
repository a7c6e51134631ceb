import type { Pin, ShownHeld } from '@callboard/hub'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { HubRefusal, isNobodyThere } from '../hub-link/hub-socket.js'
import { noHubRunning } from '../hub-link/hub-status.js'
import { operate } from '../hub-link/operate.js'
import { requireOwnDirectory } from '../hub-link/runtime-files.js'
import { CommandError, UsageError } from '../usage-error.js'

export type ShownPin = Omit<Pin, 'listed'>

export interface HeldAnswer {
  readonly held: readonly ShownHeld[]
  /** Also those that one answer has no room for. */
  readonly total: number
}

/** Asks the running hub as an operator. @throws CommandError when there is none, or it has no pinning. */
export async function askPinning<Answer>(command: { readonly command: string }): Promise<Answer> {
  const environment = readEnvironment()
  requireOwnDirectory(environment.runtimeDirectory)
  try {
    return (await operate(environment, command)) as Answer
  } catch (error) {
    if (isNobodyThere(error)) throw noHubRunning(environment.runtimeDirectory)
    if (error instanceof HubRefusal && error.code === 'invalid_argument') throw pinningIsOff
    throw error
  }
}

/** Those of a service, or of a name. @throws UsageError when nothing of it is held. */
export function heldOfName({ held }: HeldAnswer, name: string): readonly ShownHeld[] {
  const found = held.filter((each) => each.name === name || each.service === name || each.workerKey === name)
  if (found.length > 0) return found
  const hint = didYouMean(name, [...new Set(held.flatMap((each) => [each.service, each.name]))])
  throw new UsageError(
    escapeControls(`Nothing of ${name} is held back${hint}: "callboard tools diff" shows all that is.`),
  )
}

const pinningIsOff = new CommandError(
  'This hub has no pinning: set "pinning": "on" in its config or CALLBOARD_PINNING=on, and start it anew.',
)
