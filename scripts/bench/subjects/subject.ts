import type { ClientProcess } from '../client/client-process.js'
import type { InstallationKind } from './installation-kind.js'
import type { Scene } from './scene.js'

/** What is measured: something that answers calls of the echo tool. */
export interface Subject {
  /** For `--only` and JSON. */
  readonly name: SubjectName
  /** For people. */
  readonly title: string
  readonly way: Way
  /** @throws with the reason why it can't be measured here */
  start(scene: Scene): Promise<RunningSubject>
}

/** What carries its calls; HTTP is held against HTTP. What others have speaks HTTP only, and is of interest to both. */
export type Way = 'lines' | 'http' | 'both'

export interface RunningSubject {
  readonly client: ClientProcess
  /** The process that stands between client and tool; the tool's own where nothing does. */
  readonly hub: number
  /** All that it needs but the client; their children count as well. */
  readonly processes: readonly number[]
  /** Others go through the same processes: it can't be started again by itself. */
  readonly isShared?: boolean
}

export type SubjectName =
  | 'direct'
  | 'proxy'
  | 'proxy2'
  | 'raw'
  | 'node-http'
  | CallboardName
  | 'mcp-hub'
  | 'mcp-proxy'
  | 'supergateway'

export type CallboardWay = 'hub' | 'shim' | 'socket' | 'http'

/** The plain name is that of the usual case: a worker that proved itself, a legacy client. */
export type CallboardName = CallboardWay | `${CallboardWay}-${Exclude<InstallationKind, 'trusted'> | 'modern'}`
