import { createHash } from 'node:crypto'

/** Where a result is read that did not fit into one message: `rest` is the affair of the instance that keeps it. [CB-100] */
export interface KeptAddress {
  readonly service: string
  readonly keeper: string
  readonly rest: string
}

const scheme = 'callboard-result:'
const pattern = /^callboard-result:\/\/([a-z][a-z0-9-]{0,31})\/([A-Za-z0-9_-]{22})\/(.+)$/s

/** An instance's name in public: the instance id itself is a secret between worker and hub. */
export function keeperOf(instance: string): string {
  return createHash('sha256').update(`CB/1 keeper\n${instance}`).digest('base64url').slice(0, 22)
}

/** Whether the URI is in the part of the URI space that no worker can claim by a definition. */
export function isKeptUri(uri: string): boolean {
  return uri.slice(0, scheme.length).toLowerCase() === scheme
}

export function keptUri({ service, keeper, rest }: KeptAddress): string {
  return `${scheme}//${service}/${keeper}/${rest}`
}

export function parseKeptUri(uri: string): KeptAddress | undefined {
  const match = pattern.exec(uri)
  return match === null ? undefined : { service: match[1]!, keeper: match[2]!, rest: match[3]! }
}
