import { renderMetrics } from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { readHubStatistics } from '../hub-link/hub-statistics.js'
import { noHubRunning } from '../hub-link/hub-status.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import { print, printJson } from '../output.js'

/** What `GET /metrics` says, also where there is no HTTP. */
export async function runMetrics({ json }: { readonly json?: boolean }): Promise<void> {
  const { runtimeDirectory } = readEnvironment()
  requireOwnDirectory(runtimeDirectory)
  const statistics = await readHubStatistics(runtimeFiles(runtimeDirectory).mcpSocket)
  if (statistics === undefined) throw noHubRunning(runtimeDirectory)
  if (json) printJson(statistics)
  else print(renderMetrics(statistics).trimEnd())
}
