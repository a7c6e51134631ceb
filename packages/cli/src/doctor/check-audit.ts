import { accessSync, constants, lstatSync } from 'node:fs'
import { type Finding, ok, problem } from './finding.js'

/** Whether there is a journal in `directory`, or `off`, and whether it can be written; what it says nobody has looked at. */
export function checkAudit(directory: string): Finding[] {
  if (directory === 'off') return [ok('audit', 'off')]
  const remedy = `run chmod 700 ${directory} as its owner, or set audit.directory to another one`
  const status = lstatSync(directory, { throwIfNoEntry: false })
  if (status === undefined) return [ok('audit', `${directory} (the first start makes it)`)]
  if (!status.isDirectory())
    return [problem('audit', `${directory} is no directory`, 'set audit.directory to another path')]
  if ((status.mode & 0o077) !== 0) return [problem('audit', `${directory} is open to other users`, remedy)]
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
  } catch {
    return [problem('audit', `${directory} can't be written`, remedy)]
  }
  return [ok('audit', `${directory}; "callboard audit verify" says whether it is whole`)]
}
