import { resolve } from 'node:path'
import { createDemoProject, type DemoProject } from '@callboard/qda/demo'
import { systemClock } from '@callboard/worker/clock'
import { UsageError } from '../usage-error.js'

const nameDefault = 'Village garden.qda'

/** Makes the folder. @throws UsageError where there is something already, or the path is none. */
export async function makeDemoProject(path: string = nameDefault): Promise<DemoProject> {
  try {
    return await createDemoProject(resolve(path), systemClock)
  } catch (error) {
    if (error instanceof Error && error.name === 'QdaFailure') {
      throw new UsageError(`${error.message.replace(/\.$/, '')}: choose another folder with --path.`, { cause: error })
    }
    throw error
  }
}

/** `address`: where the hub answers HTTP. */
export function demoProjectText({ path, sources, codes, codings }: DemoProject, address: string): string {
  return [
    `A project with ${sources} sources, ${codes} codes and ${codings} codings is in`,
    `  ${path}`,
    'QualCoder opens it, too. All of it is made up.',
    '',
    'With a hub and the qda worker ("callboard up" starts both), for example:',
    `  callboard call open_project path=${quoted(path)}`,
    '  callboard call list_codes',
    "  callboard call search_text pattern='pump'",
    '',
    'Over plain HTTP:',
    `  curl -s ${address}/tools/open_project -H 'Content-Type: application/json' -d ${quoted(JSON.stringify({ arguments: { path } }))}`,
    `  curl -s ${address}/tools/list_codes -H 'Content-Type: application/json' -d '{}'`,
  ].join('\n')
}

/** As a shell takes it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
