import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to whoever connects (32,768 and more with Linux, 49,152 elsewhere). */
const [portMin, portMax] = [20_000, 30_000] as const

/**
 * A port of 127.0.0.1 that stays free while nobody listens on it. Of those that the system gives away it would not: clients
 * that try a port again and again may be given that very port, and then the hub can't have it.
 */
export async function quietPort(): Promise<number> {
  for (let port = portMin + (process.pid % (portMax - portMin)); port < portMax + portMin; port += 1) {
    if (await isFree(port)) return port
  }
  throw new Error('no port of this machine is free')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = once(server.listen(port, '127.0.0.1'), 'listening')
  return listening.then(
    async () => {
      server.close()
      await once(server, 'close')
      return true
    },
    () => false,
  )
}
