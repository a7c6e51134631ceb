import { setTimeout as delay } from 'node:timers/promises'
import type { HubStatistics } from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { readHubStatistics } from '../hub-link/hub-statistics.js'
import { noHubRunning } from '../hub-link/hub-status.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import * as limits from '../limits.js'
import { exit, print, redraw, terminalRows, whenNobodyReads } from '../output.js'
import { describeLoad } from '../top/describe-load.js'
import { UsageError } from '../usage-error.js'

export interface TopOptions {
  /** Seconds. */
  readonly interval?: number
  readonly once?: boolean
}

/** A person sees one table that changes; whoever else reads gets one after the other. */
export async function runTop({ interval, once = false }: TopOptions): Promise<void> {
  const pauseMs = pauseOf(interval)
  const { runtimeDirectory } = readEnvironment()
  requireOwnDirectory(runtimeDirectory)
  const { mcpSocket } = runtimeFiles(runtimeDirectory)
  const noHub = noHubRunning(runtimeDirectory)
  whenNobodyReads(() => void exit(0))
  let before = await readHubStatistics(mcpSocket)
  if (before === undefined) throw noHub
  const rows = once ? undefined : terminalRows()
  // A rate needs two readings, and a person something to look at until then.
  if (rows !== undefined) show(describe(undefined, before, rows), rows)
  for (;;) {
    await delay(pauseMs)
    const now = await readHubStatistics(mcpSocket).catch(undefinedIfGone)
    if (now === undefined && once) throw noHub
    show(now === undefined ? noHub.message : describe(before, now, terminalRows()), once ? undefined : terminalRows())
    if (once) return
    before = now
  }
}

/** In ms. @throws UsageError */
function pauseOf(seconds: number | undefined): number {
  if (seconds === undefined) return limits.topIntervalMs
  const ms = Math.round(seconds * 1_000)
  if (ms >= limits.topIntervalMsMin && ms <= limits.topIntervalMsMax) return ms
  const [least, most] = [limits.topIntervalMsMin / 1_000, limits.topIntervalMsMax / 1_000]
  throw new UsageError(`--interval must be from ${least} to ${most} seconds.`)
}

/** A hub may end and come back while one watches. */
function undefinedIfGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ECONNRESET' && error.code !== 'ETIMEDOUT') throw error
}

/** As many services as a terminal has rows for, beside the head of the table and what is said around it. */
function describe(before: HubStatistics | undefined, now: HubStatistics, rows: number | undefined): string {
  return describeLoad(before, now, rows === undefined ? undefined : Math.max(1, rows - 4))
}

function show(text: string, rows: number | undefined): void {
  if (rows === undefined) print(`${text}\n`)
  else redraw(text)
}
