import type { HubStatistics } from '@callboard/hub'
import { control, isNobodyThere } from './hub-socket.js'

/** The numbers of a running hub; undefined when none runs. */
export async function readHubStatistics(path: string): Promise<HubStatistics | undefined> {
  try {
    return (await control(path, { command: 'metrics' })) as unknown as HubStatistics
  } catch (error) {
    if (isNobodyThere(error)) return undefined
    throw error
  }
}
