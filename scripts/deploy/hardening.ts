import assert from 'node:assert/strict'
import type { ComposeFile, Service } from './compose-file.js'

/** Ends by itself, and is root for as long as it takes to give files away. */
const setupService = 'keys'

/** What every service of the file has, so that none is forgotten. Throws an assertion that names the service. */
export function checkHardening({ services }: ComposeFile): void {
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, `${name}: the root file system can be written`)
    assert.deepEqual(service.cap_drop, ['ALL'], `${name}: has capabilities`)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], `${name}: may get privileges`)
    assert.equal(service.init, true, `${name}: nobody reaps what its children leave`)
    assert.ok(service.mem_limit, `${name}: has no limit of memory`)
    assert.ok(service.pids_limit, `${name}: has no limit of processes`)
    assert.ok(service.logging?.options['max-size'], `${name}: its log grows without end`)
    assert.ok(name === setupService || service.stop_grace_period, `${name}: has no time to end in`)
    if (name !== setupService) checkUser(name, service)
    checkPorts(name, service)
    checkVariables(name, service)
  }
}

/** Without one of its own it has that of the image, see `imageUser`. */
function checkUser(name: string, { user, cap_add = [] }: Service): void {
  assert.ok(user === undefined || !/^(0|root)\b/.test(user), `${name}: is root`)
  assert.deepEqual(cap_add, [], `${name}: has capabilities`)
}

/** The last `USER` of the Dockerfile's text. */
export function imageUser(dockerfile: string): string {
  return [...dockerfile.matchAll(/^USER (\S+)$/gm)].at(-1)?.[1] ?? 'root'
}

function checkPorts(name: string, { ports = [] }: Service): void {
  for (const port of ports) {
    const host = typeof port === 'string' ? port : `${port.host_ip}:`
    assert.match(host, /^127\.0\.0\.1:/, `${name}: publishes a port beyond this machine`)
  }
}

/** A secret is the name of a file; whoever may look at a container sees its variables. */
function checkVariables(name: string, { environment = {} }: Service): void {
  for (const [variable, value] of Object.entries(environment)) {
    if (!/^CALLBOARD_[A-Z_]*KEY|PASSWORD|PGPASS/.test(variable) || value === '') continue
    if (/__|KEYWORDS/.test(variable)) continue
    assert.match(value, /^\/run\/secrets\//, `${name}: ${variable} is no secret's file`)
  }
}
