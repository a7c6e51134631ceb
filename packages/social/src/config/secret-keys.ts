/** Keys that hold a secret; each may be given by a file instead, which the same key with `_file` names. */
export const secretKeys = [
  ['llm', 'api_key'],
  ['bluesky', 'app_password'],
  ['mastodon', 'access_token'],
  ['x', 'client_secret'],
  ['x', 'access_token'],
  ['x', 'refresh_token'],
] as const

export type SecretKey = (typeof secretKeys)[number]

type Section = { readonly [key: string]: unknown }

/** Of any of the sections, also of one with mistakes in it. */
export const isGiven = (section: Section, key: string): boolean =>
  section[key] !== undefined || section[`${key}_file`] !== undefined

/** The file that holds it, if one does. */
export function secretFileOf(config: { readonly [section in SecretKey[0]]: object }, [section, key]: SecretKey) {
  return (config[section] as Section)[`${key}_file`] as string | undefined
}
