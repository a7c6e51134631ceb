import { headOf } from '@callboard/hub'
import { auditDirectory, reading } from '../audit/audit-directory.js'
import { print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface AuditHeadOptions {
  readonly directory?: string
  readonly json?: boolean
}

export async function runAuditHead({ directory: said, json }: AuditHeadOptions): Promise<void> {
  const directory = await auditDirectory(said)
  const head = await reading(directory, headOf(directory))
  if (head === undefined) {
    throw new UsageError(`The journal in ${directory} has no whole line: "callboard audit verify" says what it has.`)
  }
  const { seq, hash } = head
  if (json) printJson({ seq, hash })
  else print(hash)
}
