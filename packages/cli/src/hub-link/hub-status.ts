import type { BrokerSnapshot, KeyedListening, SettingsInForce, ShownAgent, SupervisedStatus } from '@callboard/hub'
import { CommandError } from '../usage-error.js'
import { control, isNobodyThere } from './hub-socket.js'

/** What a running hub says of itself. Times are UTC ms. */
export interface HubStatus {
  readonly hub: {
    readonly pid: number
    readonly version: string
    readonly startedAt: number
    readonly runtime: string
    readonly http: readonly { readonly host: string; readonly port: number }[]
    readonly httpProblem?: string
    /** Of the authorization server whose tokens are good at HTTP, if there is one. */
    readonly issuer?: string
    /** Of its config, by name. */
    readonly agents: Readonly<Record<string, ShownAgent>>
    /** Of the connections: kept for clients without a session, of which no request is open. */
    readonly keptConnections?: number
    /** Absent: it serves no other machines. */
    readonly keyed?: KeyedListening
    /** Older hubs do not say. */
    readonly settings?: SettingsInForce
    /** Workers that its process keeps running: those of `up`. */
    readonly supervised?: readonly SupervisedStatus[]
  }
  readonly snapshot: BrokerSnapshot
}

/** Undefined when no hub runs. */
export async function readHubStatus(path: string): Promise<HubStatus | undefined> {
  try {
    return (await control(path, { command: 'snapshot' })) as unknown as HubStatus
  } catch (error) {
    if (isNobodyThere(error)) return undefined
    throw error
  }
}

export const noHubRunning = (directory: string): CommandError =>
  new CommandError(`No hub is running in ${directory}: start one with "callboard up".`)
