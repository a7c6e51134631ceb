import { columns } from './columns.js'
import type { Verdict } from './goals.js'
import { spreadText } from './scenario-table.js'

export function goalTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ title, bound, found, verdict }) => [title, bound, spreadText(found), verdict])
  return `Goals\n${columns(['', 'bound', 'found', 'met'], rows)}`
}
