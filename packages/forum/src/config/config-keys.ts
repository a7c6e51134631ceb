import type { sectionSchema } from './section-schema.js'

/** A key of the section `forum`, and how it is given where there is only text. */
export interface ForumConfigKey {
  readonly path: string
  /** `any` is written as JSON. */
  readonly kind: 'text' | 'list' | 'number' | 'truth' | 'any'
  /** What stands for its value in help. */
  readonly value: string
  /** For help, with the default. */
  readonly description: string
}

type Row = readonly [kind: ForumConfigKey['kind'], value: string, description: string]

const rows: { readonly [Key in keyof typeof sectionSchema.shape]: Row } = {
  auth_pairs: ['any', 'json', 'keys, by site; other users see the command line: better in a profile'],
  read_only: ['truth', 'true|false', 'offer nothing that writes (default: true)'],
  allow_writes: [
    'truth',
    'true|false',
    'with read_only=false: offer what writes, where there is a key (default: false)',
  ],
  timeout_ms: ['number', 'number', 'of one attempt at a request, 100 to 120000 (default: 15000)'],
  concurrency: ['number', 'number', 'requests at once to one forum, 1 to 32 (default: 4)'],
  cache_dir: ['text', 'path', 'accepted, and of no effect: what is cached is in memory'],
  log_level: ['text', 'level', 'silent, error, info or debug (default: CALLBOARD_LOG_LEVEL, else info)'],
  tools_mode: ['text', 'mode', 'auto, discourse_api_only or tool_exec_api (default: auto)'],
  profile: ['text', 'path', 'JSON file with any of these keys; flags and variables win over it'],
  site: ['text', 'url', 'the one forum of all sessions, which then select none'],
  default_search: ['text', 'prefix', 'put before every search, e.g. "category:support"'],
  max_read_length: ['number', 'number', 'characters of a post or message, 1 to 500000 (default: 50000)'],
  allowed_sites: ['list', 'urls', 'forums that may be selected, comma-separated (default: any)'],
  allowed_upload_paths: ['list', 'paths', 'folders whose files may be uploaded, comma-separated (default: none)'],
  remote_tools_need_writes: [
    'truth',
    'true|false',
    'offer tools of forums only where writing is allowed (default: false)',
  ],
  user_agent: ['text', 'text', 'what forums are told of this program'],
}

export const forumConfigKeys: readonly ForumConfigKey[] = Object.entries(rows).map(
  ([path, [kind, value, description]]) => ({ path, kind, value, description }),
)
