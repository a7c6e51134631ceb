import { command } from '../../hub-process.js'
import type { Era } from '../client/call-texts.js'
import type { ClientProcess } from '../client/client-process.js'
import type { Installation } from './installation.js'
import { guards, type InstallationKind } from './installation-kind.js'
import type { Scene } from './scene.js'
import type { CallboardWay, Subject } from './subject.js'

const titles: { readonly [Way in CallboardWay]: string } = {
  hub: 'callboard hub --stdio',
  shim: 'callboard stdio',
  socket: 'callboard mcp.sock',
  http: 'callboard HTTP',
}

const kindTitles: { readonly [Kind in Exclude<InstallationKind, 'trusted'>]: string } = {
  checked: 'checked',
  keys: 'worker by key',
  policy: 'policy',
  'keys-policy': 'worker by key, policy',
  audit: 'audit journal',
}

/**
 * Each way to a hub, with a worker that proved itself and with any other; of both generations of MCP. What guards a hub is the same
 * on each way, and measured on one.
 */
export const callboardSubjects: readonly Subject[] = (['hub', 'shim', 'socket', 'http'] as const).flatMap((way) => [
  subject(way, 'trusted', 'legacy'),
  ...(way === 'socket' ? guards.map((guard) => subject(way, guard, 'legacy')) : []),
  subject(way, 'checked', 'legacy'),
  // A connection on stdio keeps its generation, and that hub's is taken.
  ...(way === 'hub' ? [] : [subject(way, 'trusted', 'modern')]),
])

function subject(way: CallboardWay, kind: InstallationKind, era: Era): Subject {
  return {
    ...namesOf(way, kind, era),
    way: way === 'http' ? 'http' : 'lines',
    async start(scene) {
      const installation = await scene.installation(kind)
      const client = await clientOf(scene, installation, way, era)
      const { hub, worker } = installation
      const processes = [hub, worker, ...(way === 'shim' ? [client.program!] : [])]
      return { client, hub, processes, isShared: way === 'hub' }
    },
  }
}

function namesOf(way: CallboardWay, kind: InstallationKind, era: Era): Pick<Subject, 'name' | 'title'> {
  if (era === 'modern') return { name: `${way}-modern`, title: `${titles[way]}, modern` }
  if (kind === 'trusted') return { name: way, title: titles[way] }
  return { name: `${way}-${kind}`, title: `${titles[way]}, ${kindTitles[kind]}` }
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
