import { realpath } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, sep } from 'node:path'
import { QdaFailure } from '../failure.js'
import type { ProjectPlace } from '../sessions/project-desk.js'

/** The project that a path stands for: its `.qda` folder, or the `data.qda` in it. Throws a QdaFailure PROJECT_NOT_OPENED. */
export async function projectAt(path: string, roots: readonly string[]): Promise<ProjectPlace> {
  if (!isAbsolute(path)) throw new QdaFailure('PROJECT_NOT_OPENED/INVALID_PATH', `${path} is not an absolute path`)
  let real: string
  try {
    real = await realpath(path)
  } catch {
    throw new QdaFailure('PROJECT_NOT_OPENED/NOT_FOUND', `There is nothing at ${path}`)
  }
  const folder = basename(real) === 'data.qda' ? dirname(real) : real
  if (extname(folder).toLowerCase() !== '.qda')
    throw new QdaFailure('PROJECT_NOT_OPENED/INVALID_PATH', `${folder} does not end in .qda`)
  for (const root of roots)
    if (folder.startsWith(join(await realpath(root), sep))) return { path: folder, name: basename(folder).slice(0, -4) }
  if (roots.length > 0)
    throw new QdaFailure(
      'PROJECT_NOT_OPENED/FORBIDDEN_PATH',
      `${folder} is outside of the folders that are allowed here`,
    )
  return { path: folder, name: basename(folder).slice(0, -4) }
}
