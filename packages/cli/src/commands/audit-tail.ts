import { setTimeout as sleep } from 'node:timers/promises'
import { visible } from '../approvals/visible.js'
import { auditDirectory, reading } from '../audit/audit-directory.js'
import { JournalReader } from '../audit/journal-reader.js'
import { escapeControls } from '../escape-controls.js'
import { exit, print, whenNobodyReads } from '../output.js'
import { tableOf } from '../table.js'

export interface AuditTailOptions {
  readonly directory?: string
  readonly follow?: boolean
  readonly lines?: number
  readonly principal?: string
  readonly tool?: string
  readonly outcome?: string
  readonly json?: boolean
}

const linesDefault = 20
const followMs = 250

export async function runAuditTail(options: AuditTailOptions): Promise<void> {
  const directory = await auditDirectory(options.directory)
  const reader = new JournalReader(directory)
  const matches = matcherOf(options)
  const most = options.lines ?? linesDefault
  let found: string[] = []
  await reading(
    directory,
    reader.readOn((line) => {
      if (!matches(parsed(line))) return
      found.push(line)
      // Now and then: to shift an array at each line costs more than to keep twice as many.
      if (found.length > 2 * most + 1_000) found = newest(found, most)
    }),
  )
  show(newest(found, most), options, true)
  if (!options.follow) return
  whenNobodyReads(() => void exit(0))
  for (;;) {
    await sleep(followMs)
    const fresh: string[] = []
    await reading(
      directory,
      reader.readOn((line) => void (matches(parsed(line)) && fresh.push(line))),
    )
    show(fresh, options, false)
  }
}

type Members = Readonly<Record<string, unknown>>

const newest = (lines: string[], most: number): string[] => (most === 0 ? [] : lines.slice(-most))

function matcherOf({ principal, tool, outcome }: AuditTailOptions): (line: Members) => boolean {
  const pattern = tool && new RegExp(`^${tool.split('*').map(escaped).join('.*')}$`, 's')
  return (line) =>
    (principal === undefined || line['principal'] === principal || line['onBehalfOf'] === principal) &&
    (!pattern || (typeof line['tool'] === 'string' && pattern.test(line['tool']))) &&
    (outcome === undefined || line['outcome'] === outcome)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A line that somebody spoiled is shown as far as there is anything to show; `audit verify` names it. */
function parsed(line: string): Members {
  try {
    return Object(JSON.parse(line)) as Members
  } catch {
    return { kind: 'unreadable' }
  }
}

function show(lines: readonly string[], { json }: AuditTailOptions, hasTitle: boolean): void {
  if (lines.length === 0) return
  if (json) return print(lines.join('\n'))
  // What is no call has no columns after WHAT: it must not make that one wider.
  const rows = lines.map((line) => rowOf(parsed(line)))
  const table = tableOf(
    'TIME WHO WHAT OUTCOME MS WORKER',
    // Two names that look alike must not pass for one.
    rows.map(({ cells }) => cells.map(visible)),
  )
  const shown = table.slice(1).map((text, index) => text + escapeControls(visible(rows[index]!.rest)))
  print([...(hasTitle ? table.slice(0, 1) : []), ...shown].join('\n'))
}

function rowOf(line: Members): { readonly cells: readonly string[]; readonly rest: string } {
  const text = (name: string): string => {
    const value = line[name]
    return value === undefined ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  const time = text('at').replace('T', ' ').replace('Z', '')
  if (line['kind'] !== 'call') {
    const { seq: _, at: __, kind, prev: ___, hash: ____, ...fields } = line
    const said = Object.entries(fields).map(([name]) => `${name}=${text(name)}`)
    return { cells: [time, '-', text('kind'), '', '', ''], rest: `  ${said.join(' ')}` }
  }
  const who = line['onBehalfOf'] === undefined ? text('principal') : `${text('principal')} for ${text('onBehalfOf')}`
  return { cells: [time, who, text('tool'), text('outcome'), text('durationMs'), text('worker')], rest: '' }
}
