import { auditFiles, type Verification, verifyAudit } from '@callboard/hub'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { auditDirectory, reading } from '../audit/audit-directory.js'
import { exit, print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface AuditVerifyOptions {
  readonly directory?: string
  readonly from?: string
  readonly expect?: string
  readonly json?: boolean
}

/** Exits 1 when the journal is not as it was written. */
export async function runAuditVerify({ directory: said, from, expect, json }: AuditVerifyOptions): Promise<never> {
  const directory = await auditDirectory(said)
  const files = await reading(directory, auditFiles(directory))
  if (files.length === 0) throw new UsageError(`There is no audit journal in ${directory}.`)
  if (from !== undefined && !files.includes(from)) {
    throw new UsageError(`There is no file ${from} in ${directory}${didYouMean(from, files)}.`)
  }
  const found = await reading(directory, verifyAudit({ directory, from, expect }))
  const isWhole = found.problems.length === 0
  if (json) printJson({ ok: isWhole, ...found })
  else print(describe(found))
  return exit(isWhole ? 0 : 1)
}

function describe({ files, lines, head, problems, recovered, torn }: Verification): string {
  return [
    ...problems.map(({ file, line, problem }) => `PROBLEM ${file}:${line}: ${problem}`),
    ...recovered.map(({ file, line, problem }) => `note    ${file}:${line}: ${problem}`),
    ...(torn === undefined
      ? []
      : [`note    ${torn.file}: ${torn.bytes} bytes of an unfinished line: a hub was killed, or is just writing`]),
    problems.length === 0
      ? `Whole: ${lines} lines in ${files} file${files === 1 ? '' : 's'}; the newest is ${head?.seq ?? 0} with ${head?.hash ?? 'no hash'}.`
      : `Not as it was written: ${problems.length} problem${problems.length === 1 ? '' : 's'} in ${lines} lines.`,
  ].join('\n')
}
