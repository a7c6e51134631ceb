import { withHome } from './profile.js'
import { sectionSchema, type WrittenSection } from './section-schema.js'

/** What one key in force means for another, each sentence with `forum.key` at its beginning; none where keys have mistakes of their own. */
export function relationProblems(section: unknown, home: string | undefined): readonly string[] {
  const { data } = sectionSchema.safeParse(section)
  return data === undefined ? [] : [...siteProblems(data), ...folderProblems(data, home)]
}

function siteProblems({ site, allowed_sites: allowed }: WrittenSection): readonly string[] {
  if (site === undefined || allowed.length === 0 || allowed.includes(site)) return []
  return ['forum.site: must be one of allowed_sites, where there are some']
}

function folderProblems({ allowed_upload_paths: paths }: WrittenSection, home: string | undefined): readonly string[] {
  return paths.flatMap((path, index) =>
    withHome(path, home) === undefined ? [`forum.allowed_upload_paths[${index}]: ~ is nowhere: HOME is not set`] : [],
  )
}
