import { randomUUID } from 'node:crypto'
import { lstat, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '@callboard/worker/clock'
import { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { createProjectFolder } from '../format/create-project-folder.js'
import { localTime } from '../format/local-time.js'
import type { ProjectPath } from '../format/project-path.js'
import { OpenProject } from '../project/open-project.js'
import { TimeSlices } from '../project/time-slices.js'
import type { LossList } from '../refi/loss-list.js'
import { RefiPackage } from '../refi/read-package.js'
import type { Call } from '../tools/qda-tool.js'
import type { ImportCounts } from './import-counts.js'
import { importProject } from './import-project.js'
import { extractMedia, mediaPlan } from './media-plan.js'

export interface NewImport {
  readonly file: string
  readonly place: ProjectPath
  readonly isDryRun: boolean
  readonly call: Call
  readonly clock: Clock
}

/**
 * Makes a project of a package, under a name that is no project's until it is whole: what is killed in between is no half project.
 * A dry run makes it among the temporary files, and removes it. Throws IMPORT_FAILED or PROJECT_NOT_CREATED.
 */
export async function importAsNew({ file, place, isDryRun, call, clock }: NewImport): Promise<{
  readonly counts: ImportCounts
  readonly losses: LossList
}> {
  const pack = await RefiPackage.open(file)
  const around = isDryRun ? await mkdtemp(join(tmpdir(), 'callboard-import-')) : dirname(place.path)
  const draft = join(around, `.${place.name.slice(0, 50)}.${randomUUID()}.importing`)
  try {
    const counts = await fill(pack, { path: draft, name: place.name }, { isDryRun, call, clock })
    if (!isDryRun) await putInPlace(draft, place.path)
    return { counts, losses: pack.losses }
  } finally {
    pack.close()
    await rm(isDryRun ? around : draft, { recursive: true, force: true })
  }
}

async function fill(
  pack: RefiPackage,
  place: ProjectPath,
  { isDryRun, call, clock }: Pick<NewImport, 'isDryRun' | 'call' | 'clock'>,
): Promise<ImportCounts> {
  const { signal } = call.context
  const media = mediaPlan(pack, pack.project, [])
  createProjectFolder(place, { coder: coderOf(pack, call), now: createdAt(pack, call) })
  await extractMedia(pack, media, isDryRun ? null : place.path, signal)
  const opened = await OpenProject.open(place.path, place.name, clock)
  try {
    opened.requireWritable()
    return await opened.writes.alone(() => writeRows(opened, pack, media, call, clock))
  } finally {
    await opened.close()
  }
}

/** One transaction that others have their turn beside: nobody else has this project open. */
async function writeRows(
  { db }: OpenProject,
  pack: RefiPackage,
  media: ReturnType<typeof mediaPlan>,
  { actor, context, now }: Call,
  clock: Clock,
): Promise<ImportCounts> {
  const act = { changeSetId: randomUUID(), tool: 'import_qdpx', actor: actor.name, coder: actor.coder }
  const writer = new Writer(db, { ...act, now, date: localTime(now) }, 'unrecorded')
  const slices = new TimeSlices(clock, context.signal)
  const total = pack.project.sources.length + pack.project.notes.length
  let read = 0
  db.connection.exec('BEGIN IMMEDIATE')
  const work = importProject(writer, { project: pack.project, media, losses: pack.losses })
  let step = work.next()
  while (step.done !== true) {
    const text = step.value === null ? undefined : await pack.readText(step.value)
    if (text !== undefined && ++read % 10 === 0) context.progress(read, Math.max(read, total), 'texts read')
    context.signal.throwIfAborted()
    await slices.pause()
    step = work.next(text)
  }
  db.connection.exec('COMMIT')
  return step.value
}

/** Whoever made the project codes on, in QualCoder itself. */
function coderOf({ project: { users, creatingUser } }: RefiPackage, { actor }: Call): string {
  const name = users.find(({ guid }) => guid === creatingUser)?.name?.trim()
  return name && !/[\p{Cc}\p{Surrogate}]/u.test(name) && name.length <= 100 ? name : actor.coder
}

function createdAt({ project }: RefiPackage, { now }: Call): number {
  const time = Date.parse(project.createdAt ?? '')
  return Number.isNaN(time) ? now : time
}

async function putInPlace(draft: string, path: string): Promise<void> {
  // A rename would take the place of an empty folder.
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  )
  if (isThere)
    throw new QdaFailure(
      'PROJECT_NOT_CREATED/EXISTS',
      `${path} exists by now. Choose another project_path, and repeat the call.`,
    )
  await rename(draft, path)
}
