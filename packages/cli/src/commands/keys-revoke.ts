import { type AuthorizedWorker, changeAllowList, workersOf } from '@callboard/hub'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { readEnvironment } from '../environment.js'
import { allowListFile, explaining } from '../keys/allow-list-place.js'
import { type LiveWorker, liveWorkers, untilCutOff } from '../keys/live-workers.js'
import { print, printJson } from '../output.js'
import { CommandError, UsageError } from '../usage-error.js'

export async function runKeysRevoke(which: string, { json }: { readonly json?: boolean }): Promise<void> {
  const environment = readEnvironment()
  const before = await liveWorkers(environment)
  const revoked: AuthorizedWorker[] = []
  await explaining(
    changeAllowList(allowListFile(environment), (lines) => {
      const workers = workersOf({ lines, problems: [] })
      revoked.push(...named(which, workers))
      return lines.filter(({ worker }) => worker === undefined || !revoked.includes(worker))
    }),
  )
  const name = revoked[0]!.name
  const live = before?.filter(({ publicKey }) => revoked.some(({ key }) => key === publicKey)) ?? []
  const staying = await untilCutOff(environment, live)
  const cutOff = live.filter((worker) => !staying.some(({ instance }) => instance === worker.instance))
  if (json) printJson({ revoked: revoked.map(({ name, key }) => ({ name, key })), cutOff: cutOff.map(identify) })
  else print(`Revoked ${count(revoked.length, 'key')} of ${name}; ${whatOfWorkers(before !== undefined, cutOff)}.`)
  if (staying.length === 0) return
  throw new CommandError(
    `Still there by a revoked key: ${staying.map(({ instance }) => instance).join(', ')}; the hub's log says why, "callboard down" ends it.`,
  )
}

/** One by its key, or all of a name. @throws UsageError when there are none */
function named(which: string, workers: readonly AuthorizedWorker[]): readonly AuthorizedWorker[] {
  const found = workers.filter(({ name, key }) => key === which || name === which)
  if (found.length > 0) return found
  const hint = didYouMean(which, [...new Set(workers.map(({ name }) => name))])
  throw new UsageError(`There is no key ${JSON.stringify(which)}${hint}: "callboard keys list" lists them all.`)
}

const identify = ({ service, instance }: LiveWorker) => ({ service, instance })

function whatOfWorkers(isHubRunning: boolean, cutOff: readonly LiveWorker[]): string {
  return isHubRunning ? `${count(cutOff.length, 'worker')} cut off` : 'no hub is running'
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
