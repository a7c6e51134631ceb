import { pageHeadLength } from '../limits.js'

/** What stands in place of JSON, in a word for agents; undefined: nothing that we know. */
export function pageHint(text: string): string | undefined {
  const head = text.slice(0, pageHeadLength).trimStart()
  if (/^[{[]/.test(head)) return 'truncated'
  if (!/^<(!|\?|[a-z])/i.test(head)) return undefined
  if (/<title>\s*just a moment|cf-chl|challenge-platform|cf_chl_opt/i.test(head)) return 'cloudflare_challenge'
  if (/type=["']?password|id=["']?login-|action=["'][^"']{0,200}\/(session|login)["'?]/i.test(head)) return 'login_page'
  if (/<title>[^<]{0,200}\b(log ?in|sign ?in)\b/i.test(head)) return 'login_page'
  return 'html'
}
