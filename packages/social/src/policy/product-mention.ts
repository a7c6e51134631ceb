import type { Business } from '../config.js'
import { comparable, phraseIn } from './plain-words.js'

/** Whether it names our product or links to it. Keywords are what we talk about: they are no advertising. */
export function namesProduct(parts: readonly string[], { product_name, product_url }: Business): boolean {
  const address = product_url === undefined ? undefined : addressOf(product_url)
  return parts.some(
    (part) =>
      phraseIn(part, [product_name]) !== undefined || (address !== undefined && comparable(part).includes(address)),
  )
}

/** As people write it: without scheme and `www.`. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return comparable(`${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`)
}
