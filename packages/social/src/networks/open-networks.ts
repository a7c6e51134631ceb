import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import type { HttpClient } from '../http/http-client.js'
import { openBluesky } from './bluesky/open-bluesky.js'
import { openLocal } from './local/open-local.js'
import { openMastodon } from './mastodon/mastodon-adapter.js'
import type { NetworkAdapter } from './network-adapter.js'
import { Networks } from './networks.js'
import { openX } from './x/open-x.js'

/** The adapters of all networks that are switched on. No server is asked anything yet. */
export async function openNetworks(foundation: Foundation, http: HttpClient): Promise<Networks> {
  const [first, ...others] = foundation.config.networks
  const open = (name: NetworkName) => openNetwork(name, foundation, http)
  return new Networks([await open(first), ...(await Promise.all(others.map(open)))])
}

/** What a switched-on network needs has been seen to be there when the configuration was parsed. */
async function openNetwork(name: NetworkName, foundation: Foundation, http: HttpClient): Promise<NetworkAdapter> {
  const { config, clock } = foundation
  const { bluesky, mastodon, x, local } = config
  switch (name) {
    case 'bluesky':
      return openBluesky({
        pdsUrl: bluesky.pds_url,
        ...(bluesky.appview_url !== undefined && { appviewUrl: bluesky.appview_url }),
        handle: bluesky.handle ?? '',
        appPassword: bluesky.app_password ?? '',
        clock,
        http,
      })
    case 'mastodon':
      return openMastodon({
        baseUrl: mastodon.base_url ?? '',
        accessToken: mastodon.access_token ?? '',
        visibility: mastodon.visibility,
        clock,
        http,
      })
    case 'x':
      return openX({
        baseUrl: x.base_url,
        tier: x.tier,
        dailyBudgetUsd: x.daily_budget_usd,
        ...(x.client_id !== undefined && { clientId: x.client_id }),
        ...(x.client_secret !== undefined && { clientSecret: x.client_secret }),
        ...(x.access_token !== undefined && { accessToken: x.access_token }),
        ...(x.refresh_token !== undefined && { refreshToken: x.refresh_token }),
        foundation,
      })
    case 'local':
      return openLocal({ handle: local.handle, foundation })
    default:
      return name satisfies never
  }
}
