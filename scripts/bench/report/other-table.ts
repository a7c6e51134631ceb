import type { IdleHub } from '../windows/idle.js'
import type { StartUp } from '../windows/start-up.js'
import { columns } from './columns.js'
import type { OneFigure } from './goals.js'
import { spreadText } from './scenario-table.js'

export interface OtherFigures {
  readonly startUp: StartUp | undefined
  readonly idle: IdleHub | undefined
}

export function otherTable({ startUp, idle }: OtherFigures): string {
  const rows: string[][] = []
  if (startUp !== undefined) {
    rows.push(['initialize from callboard stdio, no hub running, ms', spreadText(startUp.cold, 0)])
    rows.push(['initialize from callboard stdio, a hub running, ms', spreadText(startUp.warm, 0)])
  }
  if (idle !== undefined) {
    rows.push([`idle hub with ${idle.workers} workers, percent of a core`, idle.cpuPercent.toFixed(2)])
    rows.push([`idle hub with ${idle.workers} workers, MiB`, idle.mebibytes.toFixed(0)])
  }
  return rows.length === 0 ? '' : `${columns(['Start and rest', ''], rows)}\n`
}

/** What goals are set for. */
export function oneFiguresOf({ startUp, idle }: OtherFigures): Partial<Record<OneFigure, number>> {
  return {
    ...(startUp && { startColdMs: startUp.cold.median, startWarmMs: startUp.warm.median }),
    ...(idle && { idleCpuPercent: idle.cpuPercent, idleMebibytes: idle.mebibytes }),
  }
}
