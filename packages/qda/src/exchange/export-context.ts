import { QdaFailure } from '../failure.js'
import type { OpenProject } from '../project/open-project.js'
import type { TimeSlices } from '../project/time-slices.js'
import type { LossList } from '../refi/loss-list.js'
import { ExportGuids } from './export-guids.js'
import { ExportUsers } from './export-users.js'
import { Moments } from './moments.js'

export interface ExportOptions {
  readonly includeMedia: boolean
  /** Whether codings of coders that the project hides leave with it. */
  readonly includeHidden: boolean
}

/** What all parts of one export share. */
export interface ExportContext extends ExportOptions {
  readonly project: OpenProject
  readonly guids: ExportGuids
  readonly users: ExportUsers
  readonly moments: Moments
  readonly losses: LossList
  readonly slices: TimeSlices
  /** Throws PROJECT_BUSY where another program has written since the export began. */
  requireUnchanged(): void
}

export function exportContext(
  options: ExportOptions & Pick<ExportContext, 'project' | 'losses' | 'slices'>,
): ExportContext {
  const { db } = options.project
  const version = db.value('PRAGMA main.data_version')
  const guids = new ExportGuids(options.project)
  const requireUnchanged = () => {
    if (db.value('PRAGMA main.data_version') !== version) throw changedMeanwhile()
  }
  return { ...options, guids, users: new ExportUsers(guids), moments: new Moments(), requireUnchanged }
}

const changedMeanwhile = (): QdaFailure =>
  new QdaFailure(
    'PROJECT_BUSY',
    'Another program has changed the project meanwhile; nothing was written. Repeat the call',
    { details: { retryable: true } },
  )
