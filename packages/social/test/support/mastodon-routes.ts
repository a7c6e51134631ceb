import {
  accountEntity,
  instanceEntity,
  instanceEntityV1,
  mediaEntity,
  notificationEntity,
  statusEntity,
} from './mastodon-entities.js'
import { ApiError, type FakeStatus, type MastodonInstance, type PostForm } from './mastodon-instance.js'

export interface MastodonBehaviour {
  readonly characters: number
  readonly fullText: boolean
  /** Without it, /api/v2/instance is missing. */
  readonly instanceV2: boolean
  /** How often a new file is said to be in work. */
  readonly mediaPolls: number
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
}

export interface Answered {
  readonly status: number
  readonly body: unknown
  readonly link?: string
}

/** One call of the API, signed in or not. Throws an ApiError. */
export async function answer(instance: MastodonInstance, how: MastodonBehaviour, asked: Asked): Promise<Answered> {
  for (const [pattern, route] of routes) {
    const match = pattern.exec(`${asked.method} ${asked.path}`)
    if (match !== null) return await route({ instance, how, asked, id: decodeURIComponent(match[1] ?? '') })
  }
  throw new ApiError(404, 'The page you are looking for is not here.')
}

/** Without a token. */
export const openPaths = /^\/api\/v[12]\/instance$/

interface Called {
  readonly instance: MastodonInstance
  readonly how: MastodonBehaviour
  readonly asked: Asked
  readonly id: string
}

type Route = (called: Called) => Answered | Promise<Answered>

const ok = (body: unknown): Answered => ({ status: 200, body })

const routes: readonly (readonly [RegExp, Route])[] = [
  [
    /^GET \/api\/v2\/instance$/,
    ({ instance, how }) => {
      if (!how.instanceV2) throw new ApiError(404, 'Record not found')
      return ok(instanceEntity(instance, how.characters))
    },
  ],
  [/^GET \/api\/v1\/instance$/, ({ instance, how }) => ok(instanceEntityV1(instance, how.characters))],
  [/^GET \/api\/v1\/accounts\/verify_credentials$/, ({ instance }) => ok(accountEntity(instance, instance.me))],
  [
    /^GET \/api\/v1\/accounts\/lookup$/,
    ({ instance, asked }) => {
      const account = instance.findAccount(asked.query.get('acct') ?? '')
      if (account === undefined) throw new ApiError(404, 'Record not found')
      return ok(accountEntity(instance, account))
    },
  ],
  [/^GET \/api\/v1\/accounts\/([^/]+)\/statuses$/, accountStatuses],
  [/^POST \/api\/v1\/statuses$/, createStatus],
  [/^GET \/api\/v1\/statuses\/([^/]+)$/, ({ instance, id }) => ok(statusEntity(instance, instance.findStatus(id)))],
  [
    /^DELETE \/api\/v1\/statuses\/([^/]+)$/,
    ({ instance, id }) => {
      const status = instance.remove(id)
      return ok({ ...statusEntity(instance, status), text: status.text })
    },
  ],
  [/^POST \/api\/v2\/media$/, createMedia],
  [
    /^GET \/api\/v1\/media\/([^/]+)$/,
    ({ instance, id }) => {
      const media = instance.findMedia(id)
      if (media.pollsLeft > 0) media.pollsLeft--
      return { status: media.pollsLeft > 0 ? 206 : 200, body: mediaEntity(instance, media) }
    },
  ],
  [
    /^GET \/api\/v1\/timelines\/tag\/([^/]+)$/,
    (called) => listed(called, called.instance.withTag(called.id), (each) => statusEntity(called.instance, each)),
  ],
  [/^GET \/api\/v2\/search$/, search],
  [
    /^GET \/api\/v1\/notifications$/,
    (called) => {
      const { instance, asked } = called
      const types = asked.query.getAll('types[]')
      const wanted = instance.notifications.filter(({ type }) => types.length === 0 || types.includes(type))
      return listed(called, wanted, (each) => notificationEntity(instance, each))
    },
  ],
]

function accountStatuses(called: Called): Answered {
  const { instance, asked, id } = called
  const account = instance.accounts.find((each) => each.id === id)
  if (account === undefined) throw new ApiError(404, 'Record not found')
  const withoutReblogs = isTrue(asked.query.get('exclude_reblogs'))
  const theirs = instance.statuses.filter(
    (each) =>
      each.account === account &&
      (account === instance.me || each.visibility === 'public' || each.visibility === 'unlisted') &&
      !(withoutReblogs && each.reblogOf !== undefined),
  )
  return listed(called, theirs, (each) => statusEntity(instance, each))
}

async function createStatus({ instance, asked }: Called): Promise<Answered> {
  const key = asked.headers['idempotency-key']
  const form = (await formOf(asked)) as PostForm
  return ok(statusEntity(instance, instance.post(form, typeof key === 'string' ? key : undefined)))
}

async function createMedia({ instance, how, asked }: Called): Promise<Answered> {
  const { file, description } = (await formOf(asked)) as { file?: unknown; description?: string }
  if (!(file instanceof Blob)) throw new ApiError(422, "Validation failed: File can't be blank")
  const media = instance.addMedia({
    mime: file.type,
    bytes: file.size,
    description: description ?? null,
    polls: how.mediaPolls,
  })
  return { status: media.pollsLeft > 0 ? 202 : 200, body: mediaEntity(instance, media) }
}

/** Without full text a URL may still be resolved. */
function search({ instance, how, asked }: Called): Answered {
  const { query } = asked
  const q = (query.get('q') ?? '').trim()
  const found = isTrue(query.get('resolve')) && /^https?:\/\//.test(q) ? resolved(instance, q) : []
  const after = query.get('min_id')
  const words = q.replaceAll('"', '').toLowerCase()
  if (found.length === 0 && how.fullText && words !== '') {
    const matching = instance.statuses.filter(
      ({ id, text, visibility }) =>
        visibility === 'public' && text.toLowerCase().includes(words) && (after === null || BigInt(id) > BigInt(after)),
    )
    found.push(...matching.toSorted(newestFirst).slice(0, limitOf(query)))
  }
  return ok({ accounts: [], statuses: found.map((each) => statusEntity(instance, each)), hashtags: [] })
}

function resolved(instance: MastodonInstance, address: string): FakeStatus[] {
  return instance.statuses.filter(({ url, uri }) => url === address || uri === address)
}

/** `since_id`: the newest of those after it; `min_id`: the oldest of those after it. */
function listed<Item extends { readonly id: string }>(
  { instance, asked }: Called,
  items: readonly Item[],
  entity: (item: Item) => object,
): Answered {
  const { query } = asked
  const limit = limitOf(query)
  const [before, since, min] = ['max_id', 'since_id', 'min_id'].map((name) => query.get(name))
  const within = items
    .filter(({ id }) => !before || BigInt(id) < BigInt(before))
    .filter(({ id }) => !(min ?? since) || BigInt(id) > BigInt((min ?? since)!))
    .toSorted(newestFirst)
  const page = min ? within.slice(-limit) : within.slice(0, limit)
  if (page.length === 0) return ok([])
  const next = `<${pageUrl(instance, asked, { max_id: page.at(-1)!.id })}>; rel="next"`
  const previous = `<${pageUrl(instance, asked, { min_id: page[0]!.id })}>; rel="prev"`
  const link = page.length === limit ? `${next}, ${previous}` : previous
  return { status: 200, body: page.map(entity), link }
}

/** Keeps what was asked for, but not since when. */
function pageUrl({ url }: MastodonInstance, { path, query }: Asked, place: Record<string, string>): string {
  const kept = [...query].filter(([name]) => !['max_id', 'since_id', 'min_id'].includes(name))
  return `${url}${path}?${new URLSearchParams([...kept, ...Object.entries(place)])}`
}

function newestFirst(one: { readonly id: string }, other: { readonly id: string }): number {
  return BigInt(other.id) > BigInt(one.id) ? 1 : -1
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 20)
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, 40) : 20
}

function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1'
}

/** JSON, URL-encoded, or multipart. */
async function formOf({ headers, body }: Asked): Promise<object> {
  const type = String(headers['content-type'] ?? '')
  if (type.startsWith('application/json')) return JSON.parse(body.toString())
  if (body.length === 0) return {}
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const fields: Record<string, unknown> = {}
  for (const [name, value] of form) {
    if (!name.endsWith('[]')) fields[name] = value
    else fields[name.slice(0, -2)] = [...((fields[name.slice(0, -2)] as unknown[]) ?? []), value]
  }
  return fields
}
