import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunRecord, ToolKind } from './records.js'

const suffix = '.runs'

/** What all replicas of a directory have written down. */
export function readJournals(directory: string): RunRecord[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(suffix))
    .flatMap((name) => parseJournal(name.slice(0, -suffix.length), readFileSync(join(directory, name), 'utf8')))
}

/** An end belongs to the oldest run of its call that has none. */
export function parseJournal(process: string, text: string): RunRecord[] {
  const runs: { -readonly [Key in keyof RunRecord]: RunRecord[Key] }[] = []
  const open = new Map<string, typeof runs>()
  for (const line of text.split('\n')) {
    const [event, canary, kind, at] = line.split(' ')
    if (canary === undefined || at === undefined) continue
    if (event === 'start') {
      const run = { canary, kind: kind as ToolKind, process, startedAt: Number(at) }
      runs.push(run)
      open.set(canary, [...(open.get(canary) ?? []), run])
    } else {
      const run = open.get(canary)?.shift()
      if (run !== undefined) run.endedAt = Number(at)
    }
  }
  return runs
}
