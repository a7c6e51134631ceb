import { sectionOf } from '../config-file.js'
import { checkAudit } from '../doctor/check-audit.js'
import { checkDataDirectory, checkRuntimeDirectory } from '../doctor/check-directories.js'
import { checkHttp, checkHub, checkWorkers } from '../doctor/check-hub.js'
import { checkIssuer } from '../doctor/check-issuer.js'
import { checkNativeModules, checkNode, checkPrograms } from '../doctor/check-programs.js'
import { checkSandbox } from '../doctor/check-sandbox.js'
import { checkGroups, checkMail } from '../doctor/check-scheduler.js'
import { type Finding, ok, problem } from '../doctor/finding.js'
import { type Environment, readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { groupsFileOf } from '../groups-check.js'
import { type HubStatus, readHubStatus } from '../hub-link/hub-status.js'
import { runtimeFiles } from '../hub-link/runtime-files.js'
import { exit, print, printJson } from '../output.js'

export async function runDoctor({ json }: { readonly json?: boolean }): Promise<never> {
  const findings = await examine(readEnvironment())
  if (json) printJson({ findings })
  else for (const finding of findings) print(describe(finding))
  const problems = findings.filter(({ status }) => status === 'problem').length
  if (!json) print(problems === 0 ? '\nNothing is wrong.' : `\n${problems} problem${problems === 1 ? '' : 's'}.`)
  return exit(problems === 0 ? 0 : 1)
}

async function examine(environment: Environment): Promise<Finding[]> {
  const modules = await checkNativeModules()
  const dataDirectory = checkDataDirectory(environment.dataDirectory)
  const basics = [checkNode(), ...modules, dataDirectory]
  // The hub's package can't even be read without its native module.
  if (modules.some(({ check, status }) => check === 'module zeromq' && status === 'problem')) return basics
  const { readWholeConfig } = await import('../load-config.js')
  const { file, config, workers, problems } = await readWholeConfig(environment)
  const { checkPins } = await import('../doctor/check-pins.js')
  const { checkTokens } = await import('../doctor/check-tokens.js')
  const { checkKeys } = await import('../doctor/check-keys.js')
  const { checkPolicy } = await import('../doctor/check-policy.js')
  const status = await hubStatus(environment)
  const hub = 'status' in status ? [status] : [checkHub(status.found)]
  const found = 'found' in status ? status.found : undefined
  // What this environment would make of another hub says nothing of the one that runs.
  const settings = found?.hub.settings
  return [
    ...basics,
    ...(await checkPrograms(workers, (name) => sectionOf(file, name), environment.variables['PATH'] ?? '')),
    ...(await checkRuntimeDirectory(environment.runtimeDirectory)),
    ...(problems.length === 0 ? [ok('config', file.file === undefined ? 'defaults' : file.fileName)] : []),
    ...problems.map((each) => problem('config', each, 'correct it')),
    ...(await checkTokens(environment.dataDirectory, Date.now())),
    ...(await checkKeys(environment, found?.hub, config?.listen ?? [], Date.now())),
    ...(await checkPins(config.dataDirectory, settings?.pinning ?? config.pinning ?? 'off')),
    ...checkAudit(settings?.audit ?? config.audit?.directory ?? 'off'),
    ...(await checkPolicy(config, settings?.policy)),
    ...hub,
    await checkHttp(config, found),
    ...(await checkIssuer(config)),
    ...checkWorkers(workers, found),
    ...(workers.includes('kernel') ? [await checkSandbox(sectionOf(file, 'kernel'))] : []),
    ...(workers.includes('scheduler') && dataDirectory.status === 'ok'
      ? await checkScheduler(environment, sectionOf(file, 'scheduler'), Object.keys(config?.agents ?? {}).length > 0)
      : []),
    ...(workers.includes('social') && dataDirectory.status === 'ok'
      ? await checkSocial(environment, sectionOf(file, 'social'), file.fileName, found)
      : []),
  ]
}

async function checkSocial(
  environment: Environment,
  section: unknown,
  configFile: string,
  status: HubStatus | undefined,
): Promise<Finding[]> {
  // It asks the hub as an operator, for which the hub's package must load.
  const { checkSocialConfig, checkSocialWorker } = await import('../doctor/check-social.js')
  const isThere = status?.snapshot.services.some(({ service, isServed }) => service === 'social' && isServed) === true
  return [
    ...(await checkSocialConfig(environment, section, configFile)),
    ...(isThere ? await checkSocialWorker(environment) : []),
  ]
}

async function checkScheduler(environment: Environment, section: unknown, hasAgents: boolean): Promise<Finding[]> {
  return [...(await checkGroups(await groupsFileOf(environment), hasAgents)), ...(await checkMail(section))]
}

async function hubStatus({ runtimeDirectory }: Environment): Promise<{ found: HubStatus | undefined } | Finding> {
  try {
    return { found: await readHubStatus(runtimeFiles(runtimeDirectory).mcpSocket) }
  } catch (error) {
    return problem('hub', (error as Error).message, 'end its process and start it anew')
  }
}

function describe({ check, status, detail, remedy }: Finding): string {
  const mark = { ok: 'ok      ', note: 'note    ', problem: 'PROBLEM ' }[status]
  const lines = [`${mark}${check}: ${detail}`, ...(remedy === undefined ? [] : [`          remedy: ${remedy}`])]
  return lines.map((line) => escapeControls(line)).join('\n')
}
