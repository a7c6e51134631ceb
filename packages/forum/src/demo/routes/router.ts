import { redirect } from '../http/answer.js'
import { notFound } from '../http/refusal.js'
import type { Route, Site } from './route.js'

interface Compiled extends Route {
  readonly expression: RegExp
}

/** Which route is for a path. */
export class Router {
  readonly #routes: readonly Compiled[]

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ ...route, expression: expressionOf(route.pattern) }))
  }

  /** @throws Refusal where there is none. */
  find(
    method: string,
    path: string,
    { forum, setting }: Site,
  ): Route & { readonly params: Readonly<Record<string, string>> } {
    const wanted = method === 'HEAD' ? 'GET' : method
    for (const route of this.#routes) {
      const found = route.method === wanted ? route.expression.exec(path) : null
      if (found !== null) return { ...route, params: decoded(found.groups ?? {}) }
    }
    const target = forum.permalinks.get(path.slice(1))
    if (target === undefined) throw notFound()
    return { method, pattern: path, params: {}, answer: () => redirect(`${setting.base()}${target}`, 301) }
  }
}

function expressionOf(pattern: string): RegExp {
  const source = pattern.replaceAll('.', '\\.').replace(/:([a-z]+)/g, (_, name: string) => `(?<${name}>[^/]+?)`)
  return new RegExp(`^${source}$`)
}

/** @throws Refusal for what is no encoding. */
function decoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw notFound()
  }
}
