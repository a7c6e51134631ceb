import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainCall, readPolicy } from '@callboard/hub'
import { expect, it, onTestFinished } from 'vitest'
import { environmentsFor } from '../subjects/installation-environments.js'
import type { InstallationKind } from '../subjects/installation-kind.js'
import { policyFile } from '../subjects/policy-file.js'

/** Of the hub. Kinds with a key need the built commands, and a run refuses to measure a worker that came without. */
async function environmentOf(kind: InstallationKind) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return (await environmentsFor({ directory, environment: {} }, kind, 'bench')).hub
}

it('a policy lets the bench through by a rule with a rate, after many that are not for it, and nothing else', async () => {
  const policy = (await readPolicy((await environmentOf('policy'))['CALLBOARD_POLICY']!))!
  const caller = { principal: 'agent:anonymous', roles: ['agent'] }
  const echoOf = (service: string) => ({ kind: 'tool', service, key: 'echo', workerKey: 'echo' }) as const
  const { decision, passedOver } = explainCall(policy, caller, echoOf('bench'), undefined)
  expect(decision).toMatchObject({ effect: 'call', rule: { id: 'bench' }, rate: { calls: 1e6, perMs: 1_000 } })
  expect([passedOver.length, policyFile.rules.length]).toEqual([16, 20])
  expect(explainCall(policy, caller, echoOf('other'), undefined).decision.effect).toBe('hide')
})

it('each kind has what it is named after, and the plain one has nothing of it', async () => {
  const guards = async (kind: InstallationKind) =>
    Object.keys(await environmentOf(kind)).filter((name) => /POLICY|AUDIT|LISTEN/.test(name))
  expect(await guards('trusted')).toEqual([])
  expect(await guards('policy')).toEqual(['CALLBOARD_POLICY'])
  expect(await guards('audit')).toEqual(['CALLBOARD_AUDIT'])
})
