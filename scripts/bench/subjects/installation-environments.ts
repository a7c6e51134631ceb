import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quietPort } from '../../chaos/quiet-port.js'
import { WorkerKey } from '../../link/worker-key.js'
import { type InstallationKind, installationKinds } from './installation-kind.js'
import { policyFile } from './policy-file.js'
import type { Scene } from './scene.js'

type Place = Pick<Scene, 'directory' | 'environment'>

export type Variables = { readonly [name: string]: string }

/** For a hub of this kind, and for its worker of this name. What they need of files is made. */
export async function environmentsFor(
  place: Place,
  kind: InstallationKind,
  worker: string,
): Promise<{ readonly hub: Variables; readonly worker: Variables }> {
  const { proof, hasPolicy, hasAudit } = installationKinds[kind]
  const home = homeOf(place, kind)
  const hub: Variables = {
    ...freshEnvironment(place, kind),
    ...(hasPolicy && { CALLBOARD_POLICY: writePolicy(home) }),
    ...(hasAudit && { CALLBOARD_AUDIT: 'on' }),
  }
  switch (proof) {
    case 'none':
      return { hub, worker: hub }
    case 'secret':
      return { hub, worker: { ...hub, CALLBOARD_SIGN_IN_SECRET_FILE: join(hub['CALLBOARD_DATA']!, 'sign-in.secret') } }
    case 'key': {
      const endpoint = `tcp://127.0.0.1:${await quietPort()}`
      const key = await WorkerKey.authorize({ directory: home, environment: hub }, worker, ['--trusted'])
      return {
        hub: { ...hub, CALLBOARD_LISTEN: endpoint },
        worker: { ...hub, ...key.environment, CALLBOARD_HUB: endpoint },
      }
    }
    default:
      return proof satisfies never
  }
}

/** For a hub of its own, and whatever shall find it. */
export function freshEnvironment(place: Place, name: string): Variables {
  const home = homeOf(place, name)
  mkdirSync(home)
  return {
    ...place.environment,
    HOME: home,
    CALLBOARD_RUNTIME: join(home, 'run'),
    CALLBOARD_DATA: join(home, 'data'),
    CALLBOARD_HTTP: '127.0.0.1:0',
    CALLBOARD_HTTP_OPEN: '*',
    CALLBOARD_LOG_LEVEL: 'error',
  }
}

const homeOf = (place: Place, name: string): string => join(place.directory, name)

function writePolicy(home: string): string {
  const file = join(home, 'policy.json')
  writeFileSync(file, JSON.stringify(policyFile), { mode: 0o600 })
  return file
}
