import { resolve } from 'node:path'

/** Where the groups file and the groups' directories are; relative paths of the configuration count from the data directory. */
export function groupPlaces(
  config: { readonly groups_file?: string | undefined; readonly groups_dir?: string | undefined },
  dataDirectory: string,
): { readonly file: string; readonly directory: string } {
  return {
    file: resolve(dataDirectory, config.groups_file ?? 'groups.json'),
    directory: resolve(dataDirectory, config.groups_dir ?? 'groups'),
  }
}
