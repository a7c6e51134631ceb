import { access } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Finding } from './findings.js'
import type { OpenProject } from './open-project.js'
import { allSources, innerPath } from './sources.js'
import type { TimeSlices } from './time-slices.js'

/** Sources whose file is not where the project says. */
export async function* missingFiles({ db, path }: OpenProject, slices: TimeSlices): AsyncGenerator<Finding> {
  for (const { id, name, mediapath } of allSources(db)) {
    if (!mediapath) continue
    const file = fileOf(path, mediapath)
    if (file === undefined || !(await isThere(file))) {
      const message = `The file of source ${id} '${name}' is missing: ${mediapath}`
      yield { kind: 'missing_file', table: 'source', row_id: id, message }
    }
    await slices.pause()
  }
}

/** Inside the project's folder, or wherever a link leads. */
function fileOf(folder: string, mediapath: string): string | undefined {
  const inner = innerPath(mediapath)
  if (inner !== undefined) return join(folder, inner)
  const linked = /^[a-z]+:(.+)$/s.exec(mediapath)?.[1]
  return linked !== undefined && isAbsolute(linked) ? linked : undefined
}

async function isThere(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch {
    return false
  }
}
