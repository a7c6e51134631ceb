import { statSync } from 'node:fs'
import { type HubConfig, PolicyFileError, policyFileOf, readPolicy } from '@callboard/hub'
import { type Finding, ok, problem } from './finding.js'

/** The policy file: a hub that runs keeps its former policy beside one that can't be used. `inForce`: the file of a running hub, or `off`. */
export async function checkPolicy(
  config: Pick<HubConfig, 'dataDirectory' | 'policyFile'>,
  inForce = 'off',
): Promise<Finding[]> {
  const isInForce = inForce !== 'off'
  const { file, isNamed } = isInForce ? { file: inForce, isNamed: true } : policyFileOf(config)
  try {
    const policy = await readPolicy(file)
    if (policy === undefined)
      return isNamed ? [isInForce ? gone(file) : problem('policy', `${file} is not there`, 'make it')] : []
    if ((statSync(file).mode & 0o022) !== 0) {
      return [problem('policy', `${file} can be changed by other users`, `run chmod go-w ${file}`)]
    }
    return [ok('policy', `${policy.content.rules.length} rules in ${file}`)]
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error
    return error.problems.map((each) => problem('policy', each, 'correct it: until then the former policy stays'))
  }
}

const gone = (file: string): Finding =>
  problem(
    'policy',
    `${file} is gone: the policy that it had stays`,
    'put it back; to have no rules, write {"rules": []}',
  )
