/** What the hub knows of who offers something. */
export interface Offerer {
  readonly service: string
  /** The name of the key that it signed in by. */
  readonly key?: string | undefined
}

/** Whose acceptance counts: `key:NAME`, whatever services the key offers, or `service:NAME` of a worker without a key. */
export const workerIdentity = ({ key, service }: Offerer): string =>
  key === undefined ? `service:${service}` : `key:${key}`

/** Of one definition of one worker, as it was accepted. The hash covers kind, name and content. */
export const acceptanceOf = (identity: string, service: string, hash: string): string =>
  JSON.stringify([identity, service, hash])
