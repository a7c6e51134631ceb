import { didYouMean } from '@callboard/protocol/nearest-name'
import { readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { HubRefusal, isNobodyThere } from '../hub-link/hub-socket.js'
import { type HubStatus, noHubRunning, readHubStatus } from '../hub-link/hub-status.js'
import { operate } from '../hub-link/operate.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import { print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

type Services = HubStatus['snapshot']['services']

export async function runForget(name: string, { json }: { readonly json?: boolean }): Promise<void> {
  const environment = readEnvironment()
  const { runtimeDirectory } = environment
  requireOwnDirectory(runtimeDirectory)
  const readServices = async (): Promise<Services> => {
    const status = await readHubStatus(runtimeFiles(runtimeDirectory).mcpSocket)
    if (status === undefined) throw noHubRunning(runtimeDirectory)
    return status.snapshot.services
  }
  const before = await readServices()
  await operate(environment, { command: 'forget', service: name }).catch((error: unknown) => {
    if (isNobodyThere(error)) throw noHubRunning(runtimeDirectory)
    throw error instanceof HubRefusal ? explain(error, name, before) : error
  })
  report(name, before.find(({ service }) => service === name)?.tools ?? [], await readServices(), json === true)
}

/** The hub does not guess what was meant. */
function explain(refusal: HubRefusal, name: string, services: Services): Error {
  if (refusal.code !== 'unknown_service') return new UsageError(refusal.message)
  const known = services.map(({ service }) => service)
  return new UsageError(
    escapeControls(`There is no service ${name}${didYouMean(name, known)}: "callboard ls" lists them all.`),
  )
}

/** Tools that another service was refused are that service's now. */
function report(name: string, tools: readonly string[], after: Services, json: boolean): void {
  const holders = new Map(after.flatMap(({ service, tools: held }) => held.map((tool) => [tool, service])))
  const free = tools.filter((tool) => !holders.has(tool))
  const inherited = tools.flatMap((tool) => {
    const service = holders.get(tool)
    return service === undefined ? [] : [{ tool, service }]
  })
  if (json) return printJson({ forgotten: name, free, inherited })
  print(escapeControls(`Forgot ${name}; its names are free${free.length === 0 ? '.' : `: ${free.join(', ')}.`}`))
  for (const { tool, service } of inherited) print(escapeControls(`${tool} belongs to ${service} now.`))
}
