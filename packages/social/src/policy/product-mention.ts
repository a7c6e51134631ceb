import type { Business } from '../config.js'
import { foldText } from '../text/fold-text.js'
import { PhraseMatcher } from '../text/phrase-matcher.js'

/** Whether it names our product or links to it. Keywords are what we talk about: they are no advertising. */
export function namesProduct(parts: readonly string[], { product_name, product_url }: Business): boolean {
  const name = new PhraseMatcher([product_name])
  const address = product_url === undefined ? undefined : addressOf(product_url)
  return parts.some((part) => name.matchesAny(part) || (address !== undefined && foldText(part).includes(address)))
}

/** As people write it: without scheme and `www.`. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return foldText(`${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`)
}
