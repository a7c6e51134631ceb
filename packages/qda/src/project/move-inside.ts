import { link, lstat, mkdir, realpath, rename, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

/**
 * Moves a file within a folder; both paths are relative to it. Nothing is ever overwritten, and a link on the way that
 * leads out of the folder is not followed. Rejects where it can't be done.
 */
export async function moveInside(folder: string, from: string, to: string): Promise<void> {
  const source = join(folder, from)
  const target = join(folder, to)
  await requireInside(folder, dirname(source))
  if (!(await lstat(source)).isFile()) throw new Error(`${from} is no file`)
  await makeInside(folder, dirname(target))
  try {
    // Unlike a rename, this fails where something is there already.
    await link(source, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || (await exists(target))) throw error
    // The file system knows no second names.
    return rename(source, target)
  }
  await unlink(source)
}

/** Each folder that is there already is looked at before one is made in it. */
async function makeInside(folder: string, wanted: string): Promise<void> {
  let at = folder
  for (const name of relative(folder, wanted).split(sep)) {
    at = join(at, name)
    if (await exists(at)) await requireInside(folder, at)
    else await mkdir(at)
  }
}

async function requireInside(folder: string, path: string): Promise<void> {
  const found = relative(await realpath(folder), await realpath(path))
  if (found === '..' || found.startsWith(`..${sep}`)) throw new Error(`${path} leads out of the project's folder`)
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
