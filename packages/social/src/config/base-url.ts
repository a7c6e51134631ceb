import { isIPv4 } from 'node:net'

/** What is wrong with an address to which requests with tokens go, in words; undefined for nothing. */
export function baseUrlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return scheme
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  if (!/^https?:$/.test(protocol)) return scheme
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    return 'must begin with https://: over http:// the token could be read on its way, so that is for this machine alone'
  }
  if (username !== '' || password !== '') return 'must not have a user name or password in it'
  if (search !== '' || hash !== '') return 'must end with a path: take off what begins with ? or #'
  return undefined
}

const scheme = 'must be a URL that begins with https:// or http://'

/** Where plain text stays on this machine. */
function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
