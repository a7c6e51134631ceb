import { type ForumServer, startForumServer } from '@callboard/forum/demo'

/** Where a demo forum is, and how the forum worker gets to it. */
export interface DemoForum {
  readonly site: string
  readonly admin: AuthPair & { readonly api_key: string; readonly api_username: string }
  readonly user: AuthPair & { readonly user_api_key: string; readonly user_api_client_id: string }
  /** Words of a shell, in order. */
  readonly worker: readonly string[]
  readonly up: { readonly environment: Readonly<Record<string, string>>; readonly command: readonly string[] }
}

interface AuthPair {
  readonly site: string
}

const admin = 'mayor'
const member = 'ada'

/** The same at each start: what was written into a configuration stays good. They open nothing but this demo on this machine. */
const keySeed = 'callboard demo forum'

export const startDemoForum = (port: number): Promise<ForumServer> => startForumServer({ port, keySeed })

export function describeDemoForum({ base: site, keys }: ForumServer): DemoForum {
  const { key, username } = keys.adminAs(admin)
  const ofMember = keys.user(member)
  const pair = { site, api_key: key, api_username: username }
  const pairs = JSON.stringify([pair])
  return {
    site,
    admin: pair,
    user: { site, user_api_key: ofMember.key, user_api_client_id: ofMember.clientId },
    worker: [
      ...'callboard worker forum --site'.split(' '),
      site,
      '--allow_writes',
      '--read_only=false',
      '--auth_pairs',
      pairs,
    ],
    up: {
      environment: {
        CALLBOARD_FORUM__SITE: site,
        CALLBOARD_FORUM__ALLOW_WRITES: 'true',
        CALLBOARD_FORUM__READ_ONLY: 'false',
        CALLBOARD_FORUM__AUTH_PAIRS: pairs,
      },
      command: ['callboard', 'up', '--workers', 'forum'],
    },
  }
}

export function demoForumText({ site, admin, user, worker, up }: DemoForum): string {
  const variables = Object.entries(up.environment).map(([name, value]) => `${name}=${quoted(value)}`)
  return [
    `The demo forum is at ${site}. It forgets everything when it ends (Ctrl-C).`,
    'It answers programs as Discourse does, and has no pages for a browser.',
    '',
    `As ${admin.api_username}, who may do everything:`,
    `  Api-Key: ${admin.api_key}`,
    `  Api-Username: ${admin.api_username}`,
    `As ${member}, one of its people:`,
    `  User-Api-Key: ${user.user_api_key}`,
    `  User-Api-Client-Id: ${user.user_api_client_id}`,
    '',
    'A hub with the forum worker, in another terminal:',
    ...[...variables, up.command.join(' ')].map(
      (line, index, all) => `  ${line}${index < all.length - 1 ? ' \\' : ''}`,
    ),
    '',
    'Or the worker alone, for a hub that runs without one ("callboard ls" lists no worker forum):',
    `  ${worker.map(quoted).join(' ')}`,
    '',
    'Then, for example:',
    "  callboard call discourse_search query='bees'",
    '  callboard call discourse_read_topic topic_id:=11',
  ].join('\n')
}

/** As a shell takes it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
