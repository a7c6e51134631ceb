import type { AuthorizedWorker } from '@callboard/hub'

/** Who, what and until when, as the end of a sentence. */
export function describeRights(worker: AuthorizedWorker): string {
  const { name, services, tools, resources, trusted } = worker
  const trust = trusted ? ', trusted' : ''
  return `${name}: services ${list(services)}; tools ${list(tools)}; resources ${list(resources)}${trust}; ${endOf(worker)}`
}

/** Nothing at all is a dash. */
export const list = (values: readonly string[]): string => (values.length === 0 ? '-' : values.join(','))

const endOf = ({ expiresAt }: AuthorizedWorker): string =>
  expiresAt === undefined ? 'until it is revoked' : `until ${new Date(expiresAt).toISOString()}`
