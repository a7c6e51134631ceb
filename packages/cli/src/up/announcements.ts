import { type BrokerSnapshot, type HubConfig, type RunningHub, reservedServices } from '@callboard/hub'
import { binary } from '../binary.js'
import { escapeControls } from '../escape-controls.js'
import { restartMsMax } from '../limits.js'
import { version } from '../version.js'
import type { WorkerExit } from './supervised-worker.js'

/** What is up and how to connect, in a few lines. */
export function describeHub(
  hub: Pick<RunningHub, 'httpAddresses' | 'httpProblem' | 'keyedEndpoints'>,
  { runtimeDirectory, dataDirectory, httpOpen, namespace }: HubConfig,
  workers: readonly string[],
): string {
  const urls = urlsOf(hub)
  const http =
    urls.length > 0
      ? `${urls.join('  ')} (agents need a token; without one it offers${offered(httpOpen, workers)})`
      : (hub.httpProblem ?? 'off')
  const example = `npx callboard call ${namespace === 'always' ? 'kernel_weave_eval' : 'weave_eval'} code='1 + 1'    `
  return [
    `Callboard ${version} is up (process ${process.pid}).`,
    `  connect   an MCP client starts: node ${binary} stdio`,
    `            for example: claude mcp add callboard -- node ${binary} stdio`,
    `  http      ${http}`,
    ...(hub.keyedEndpoints.length === 0
      ? []
      : [`  by key    workers on other machines: ${hub.keyedEndpoints.join(', ')}`]),
    `  runtime   ${runtimeDirectory}`,
    `  data      ${dataDirectory}`,
    `  try       ${workers.includes('kernel') ? example : ''}npx callboard ls`,
    '  end       Ctrl-C, or npx callboard down',
  ].join('\n')
}

/** Where it answers MCP over HTTP. */
export function urlsOf({ httpAddresses }: Pick<RunningHub, 'httpAddresses'>): readonly string[] {
  return httpAddresses.map(({ host, port }) => `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`)
}

/** Of the services that are open those that come along; what is not ours may come any time. */
function offered(open: readonly string[], workers: readonly string[]): string {
  if (open.includes('*')) return ' everything'
  const reserved: readonly string[] = reservedServices
  const services = open.filter((service) => workers.includes(service) || !reserved.includes(service))
  return services.length === 0 ? ' nothing' : `: ${services.join(', ')}`
}

export function describeReady(snapshot: BrokerSnapshot, service: string): string {
  const found = snapshot.services.find((entry) => entry.service === service)
  const tools = found?.tools ?? []
  return escapeControls(`  ${service.padEnd(9)} ready: ${tools.length === 0 ? 'no tools' : tools.join(', ')}`)
}

/** One line for each definition that the hub refused. */
export function describeRefusals(snapshot: BrokerSnapshot, service: string): string[] {
  return snapshot.workers
    .filter((worker) => worker.service === service)
    .flatMap(({ refused }) => refused)
    .map(({ name, message }) => escapeControls(`callboard: warning: ${name} of ${service} was refused: ${message}`))
}

/** Nothing while a crash loop goes on: it was said when it began. */
export function describeExit({ worker, how, restartInMs, crashLoop, complaint }: WorkerExit): string | undefined {
  const again = `it starts again in ${(restartInMs / 1000).toFixed(1)} s`
  switch (crashLoop) {
    case 'none':
      return escapeControls(`callboard: the worker ${worker} ended (${how}); ${again}.`)
    case 'begins': {
      const reason = complaint === undefined ? '' : ` Last it said: ${complaint}`
      const often = `it is tried again at growing intervals, up to ${restartMsMax / 1000} s, and the others go on`
      return escapeControls(`callboard: the worker ${worker} is crash-looping (${how}); ${often}.${reason}`)
    }
    case 'goes_on':
      return undefined
    default:
      return crashLoop satisfies never
  }
}

export const describeRecovery = (worker: string): string =>
  `callboard: the worker ${worker} is signed in; its crash loop is over.`
