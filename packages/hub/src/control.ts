import { drainMsDefault, drainMsMax } from '@callboard/protocol'
import type { DrainTarget } from './broker/events.js'
import type { AgentConfig } from './config.js'
import type { ServiceStatus } from './port.js'

/** An agent of the config, as a snapshot shows it. */
export interface ShownAgent extends Pick<AgentConfig, 'group' | 'roles'> {
  /** Whether the config has a token for it, which stays the hub's. */
  readonly hasToken: boolean
}

/** A worker that is kept running by whoever started the hub, as a snapshot shows it. Times are UTC ms. */
export interface SupervisedStatus {
  /** Its service. */
  readonly worker: string
  /**
   * `starting`: there is a process, which has not signed in. `restarting`: the next one is due at `restartsAt`. `crash_looping`:
   * it keeps ending before it signs in, whether there is a process at this moment or not.
   */
  readonly state: 'starting' | 'running' | 'restarting' | 'crash_looping'
  readonly pid?: number
  readonly restarts: number
  /** Without a minute of health between them. */
  readonly endsInARow: number
  readonly restartsAt?: number
  readonly crashLoopingSince?: number
  readonly lastExit?: {
    readonly at: number
    /** `exit code 1`, `SIGKILL`, or why it could not be started. */
    readonly how: string
    /** What it said last for people. */
    readonly complaint?: string
  }
}

/** What the command line may ask of a running hub, by a control line on `mcp.sock`. */
export interface Controls {
  /** Whether a token is the operator's: whoever may only look must not end what others use. */
  isOperator(token: string): boolean
  snapshot(): object
  statistics(): object
  drain(target: DrainTarget, drainMs: number): void
  /** Undefined: no such service. */
  stateOf(service: string): ServiceStatus['state'] | undefined
  /** Of a service that is away. */
  forget(service: string): void
  /** Undefined: no command of pinning. */
  pinning(command: { readonly [key: string]: unknown }): Promise<object> | undefined
  down(): void
}

type Answer = object | { readonly error: { readonly code: string; readonly message: string } }

export function agentsWithoutTokens(agents: Readonly<Record<string, AgentConfig>>): Record<string, ShownAgent> {
  const shown = Object.entries(agents).map(([name, { token, group, roles }]) => {
    return [name, { roles, ...(group !== undefined && { group }), hasToken: token !== undefined }] as const
  })
  return Object.fromEntries(shown)
}

export async function control(command: { readonly [key: string]: unknown }, controls: Controls): Promise<Answer> {
  const { token } = command
  if (command['command'] === 'snapshot') return controls.snapshot()
  if (command['command'] === 'metrics') return controls.statistics()
  if (typeof token !== 'string' || !controls.isOperator(token)) {
    return { error: { code: 'forbidden', message: 'This needs the operator secret of the hub.' } }
  }
  switch (command['command']) {
    case 'down':
      controls.down()
      return { ok: true }
    case 'drain':
      return drain(command, controls)
    case 'forget':
      return forget(command, controls)
    default:
      return (
        controls.pinning(command) ??
        invalid('The command must be snapshot, metrics, drain, forget, down, or one of pinning where that is on.')
      )
  }
}

function drain(command: { readonly [key: string]: unknown }, controls: Controls): Answer {
  const { service, instance, drainMs = drainMsDefault } = command
  if (typeof drainMs !== 'number' || !Number.isInteger(drainMs) || drainMs < 0 || drainMs > drainMsMax) {
    return invalid(`drainMs must be a whole number from 0 to ${drainMsMax}.`)
  }
  if (typeof service === 'string') controls.drain({ kind: 'service', service }, drainMs)
  else if (typeof instance === 'string') controls.drain({ kind: 'instance', instance }, drainMs)
  else return invalid('A drain needs a service or an instance.')
  return { ok: true }
}

function forget({ service }: { readonly [key: string]: unknown }, controls: Controls): Answer {
  if (typeof service !== 'string') return invalid('What is to be forgotten must be a service.')
  const state = controls.stateOf(service)
  if (state === undefined) return refusal('unknown_service', `There is no service ${service}.`)
  if (state !== 'away') {
    return refusal(
      'not_away',
      `Workers of ${service} are signed in: end them first, or use "callboard drain ${service}".`,
    )
  }
  controls.forget(service)
  return { ok: true }
}

const refusal = (code: string, message: string): Answer => ({ error: { code, message } })
const invalid = (message: string): Answer => refusal('invalid_argument', message)
