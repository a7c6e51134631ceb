import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'

// Its packages are installed beside this file, and only there: none of their types are known here.
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Foreign = any

const require = createRequire(new URL('../../bluesky/package.json', import.meta.url))

/** The reference server in this process, with a directory of identities, in memory and offline; it has no AppView. */
export class RealServer implements AsyncDisposable {
  readonly url: string
  readonly #network: Foreign

  private constructor(network: Foreign) {
    this.#network = network
    this.url = network.pds.url
  }

  static async start(): Promise<RealServer> {
    process.env['LOG_ENABLED'] = 'false'
    const { TestNetworkNoAppView } = require('@atproto/dev-env')
    return new RealServer(await TestNetworkNoAppView.create({}))
  }

  /** A new account, and a client of it that we did not write. */
  async account(handle: string): Promise<RealAccount> {
    const { AtpAgent } = require('@atproto/api')
    const agent = new AtpAgent({ service: this.url })
    await agent.createAccount({ handle, email: `${handle}@example.com`, password: `password of ${handle}` })
    const { data } = await agent.com.atproto.server.createAppPassword({ name: 'callboard' })
    return { did: agent.session.did, handle, appPassword: data.password, agent }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network.close()
  }
}

export interface RealAccount {
  readonly did: string
  readonly handle: string
  readonly appPassword: string
  /** An AtpAgent. */
  readonly agent: Foreign
}

/** What another program finds to link in a text, in our words; of nobody it makes a mention of the empty name. */
export async function facetsByAnother({ agent }: RealAccount, text: string): Promise<unknown> {
  const { RichText } = require('@atproto/api')
  const richText = new RichText({ text })
  await richText.detectFacets(agent)
  const facets = (richText.facets ?? []) as { readonly index: object; readonly features: readonly { did?: string }[] }[]
  return facets
    .filter(({ features }) => features[0]?.did !== '')
    .map(({ index, features }) => ({ index: { ...index }, features }))
}

/** The same token, signed by the same server an hour ago for half of it. */
export function expired(token: string): string {
  const { JWT_SECRET } = require('@atproto/dev-env/dist/const.js')
  const [header, claims] = token.split('.')
  const now = Math.floor(Date.now() / 1_000)
  const past = { ...JSON.parse(Buffer.from(claims!, 'base64url').toString()), iat: now - 3_600, exp: now - 1_800 }
  const signed = `${header}.${Buffer.from(JSON.stringify(past)).toString('base64url')}`
  return `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`
}
