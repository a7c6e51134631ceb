import type { AddressInUseError } from './http/http-server.js'

/** Why there is no HTTP, and what to do. */
export function httpProblem(error: unknown): string {
  if ((error as Partial<AddressInUseError>).code === 'address_in_use') {
    const { host, port } = (error as AddressInUseError).address
    return `Port ${port} on ${host} is taken: end the program that has it, or set CALLBOARD_HTTP to another host:port or to off.`
  }
  return `HTTP can't listen (${(error as Error).message}): set CALLBOARD_HTTP to another host:port or to off.`
}
