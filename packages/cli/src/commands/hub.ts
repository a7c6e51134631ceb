import { readEnvironment } from '../environment.js'
import { loadConfig } from '../load-config.js'
import { complain, exit, protocolStreams } from '../output.js'
import { askedToEnd, startHubHere } from '../start-hub.js'

export interface HubCommandOptions {
  readonly stdio?: boolean
  readonly as?: string
  readonly http?: string
  readonly namespace?: 'never' | 'always'
}

export async function runHub({ stdio, as, http, namespace }: HubCommandOptions): Promise<never> {
  const environment = readEnvironment({ CALLBOARD_HTTP: http })
  const config = await loadConfig(environment)
  const { token } = environment
  const asked = askedToEnd()
  const hub = await startHubHere({
    config: namespace === undefined ? config : { ...config, namespace },
    expects: config.workers ?? [],
    ...(stdio && {
      stdio: { ...protocolStreams(), ...(as !== undefined && { as }), ...(token !== undefined && { token }) },
    }),
  })
  if (hub.httpProblem !== undefined) complain(hub.httpProblem)
  await Promise.race([hub.ended, asked])
  await hub.stop()
  return exit(0)
}
