import { mediaFolders } from '../format/create-project-folder.js'

export const trashFolder = 'callboard_trash'

/** Between a media folder and the trash, in either direction: no other file of a project ever moves. */
export function isTrashMove(from: string, to: string): boolean {
  return (isMediaFile(from) && isTrashedFile(to)) || (isTrashedFile(from) && isMediaFile(to))
}

function isMediaFile(path: string): boolean {
  const [folder = '', name, ...more] = path.split('/')
  return (mediaFolders as readonly string[]).includes(folder) && isFileName(name) && more.length === 0
}

function isTrashedFile(path: string): boolean {
  const [trash, changeSet, ...rest] = path.split('/')
  return trash === trashFolder && isFileName(changeSet) && isMediaFile(rest.join('/'))
}

function isFileName(name: string | undefined): boolean {
  return name !== undefined && name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name)
}
