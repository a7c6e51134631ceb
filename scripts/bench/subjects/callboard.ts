import { command } from '../../hub-process.js'
import type { Era } from '../client/call-texts.js'
import type { ClientProcess } from '../client/client-process.js'
import type { Installation, Trust } from './installation.js'
import type { Scene } from './scene.js'
import type { CallboardWay, Subject } from './subject.js'

const titles: { readonly [Way in CallboardWay]: string } = {
  hub: 'callboard hub --stdio',
  shim: 'callboard stdio',
  socket: 'callboard mcp.sock',
  http: 'callboard HTTP',
}

/** Each way to a hub, with a worker that proved itself and with any other; of both generations of MCP. */
export const callboardSubjects: readonly Subject[] = (['hub', 'shim', 'socket', 'http'] as const).flatMap((way) => [
  subject(way, 'trusted', 'legacy'),
  subject(way, 'checked', 'legacy'),
  // A connection on stdio keeps its generation, and that hub's is taken.
  ...(way === 'hub' ? [] : [subject(way, 'trusted', 'modern')]),
])

function subject(way: CallboardWay, trust: Trust, era: Era): Subject {
  const kind = era === 'modern' ? 'modern' : trust
  return {
    name: kind === 'trusted' ? way : `${way}-${kind}`,
    title: kind === 'trusted' ? titles[way] : `${titles[way]}, ${kind}`,
    way: way === 'http' ? 'http' : 'lines',
    async start(scene) {
      const installation = await scene.installation(trust)
      const client = await clientOf(scene, installation, way, era)
      const { hub, worker } = installation
      const processes = [hub, worker, ...(way === 'shim' ? [client.program!] : [])]
      return { client, hub, processes, isShared: way === 'hub' }
    },
  }
}

async function clientOf(
  scene: Scene,
  { client, environment, socket, url }: Installation,
  way: CallboardWay,
  era: Era,
): Promise<ClientProcess> {
  switch (way) {
    case 'hub':
      return client
    case 'shim': {
      const program = { command: process.execPath, args: [command, 'stdio'], env: environment }
      return scene.client({ kind: 'stdio', tool: 'echo', era, program })
    }
    case 'socket':
      return scene.client({ kind: 'socket', tool: 'echo', era, path: socket })
    case 'http':
      return scene.client({ kind: 'http', tool: 'echo', era, url })
    default:
      return way satisfies never
  }
}
