import { isIPv4, isIPv6 } from 'node:net'
import { listenEndpointsMax } from './limits.js'

const key = 'CALLBOARD_LISTEN (or listen in the file)'
const remedy = 'write tcp://ADDRESS:PORT, like tcp://0.0.0.0:8766 or tcp://[::]:8766'

/** Reads `listen`: endpoints with commas between. Each problem names what is wrong and what is right. */
export function workerEndpoints(listen: string | undefined, problems: string[]): readonly string[] {
  const endpoints = [...new Set((listen ?? '').split(',').map((each) => each.trim()))].filter((each) => each !== '')
  const wrong = endpoints.filter((each) => !isTcpEndpoint(each))
  for (const each of wrong.slice(0, listenEndpointsMax))
    problems.push(`${key}: ${shown(each)} is no endpoint: ${remedy}.`)
  if (endpoints.length > listenEndpointsMax) {
    problems.push(`${key}: has ${endpoints.length} endpoints: ${listenEndpointsMax} at most.`)
  }
  return wrong.length > 0 ? [] : endpoints.slice(0, listenEndpointsMax)
}

/** By address only: a name may become another address, and the hub would be somewhere else. */
function isTcpEndpoint(endpoint: string): boolean {
  const match = /^tcp:\/\/(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+|\*)):(\d{1,5}|\*)$/.exec(endpoint)
  if (match === null) return false
  const [, six, four, port] = match
  const isAddress = six === undefined ? four === '*' || isIPv4(four ?? '') : isIPv6(six)
  return isAddress && (port === '*' || (Number(port) > 0 && Number(port) <= 65_535))
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100))
