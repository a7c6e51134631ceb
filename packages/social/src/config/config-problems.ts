import { stat } from 'node:fs/promises'
import { parseSocialConfig } from '../config.js'
import { secretFileProblems } from './read-secrets.js'
import { type SocialConfig, SocialConfigError } from './social-config.js'

/** Everything that is wrong with a section: what it says, and then whether what it names is there now. Never rejects. */
export async function configProblems(section: unknown, dataDirectory: string): Promise<readonly string[]> {
  try {
    const config = parseSocialConfig(section)
    return [...(await secretFileProblems(config, dataDirectory)), ...(await mediaRootProblems(config))]
  } catch (error) {
    if (error instanceof SocialConfigError) return error.problems
    throw error
  }
}

async function mediaRootProblems({ media }: SocialConfig): Promise<readonly string[]> {
  const found = await Promise.all(
    media.roots.map(async (path, index) => {
      const problem = await directoryProblem(path)
      return problem === undefined ? [] : [`social.media.roots[${index}]: ${path} ${problem}`]
    }),
  )
  return found.flat()
}

async function directoryProblem(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? undefined : 'is no directory'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'is not there' : `can't be looked at (${code})`
  }
}
