type Section = { readonly [key: string]: unknown }

/** A section `social` with an account wherever it switches a network on and says no more: most tests are not about accounts. */
export function withAccounts(section: Section): Section {
  const networks = Object.entries(accounts).map(([name, account]) => {
    const own = section[name] as Section | undefined
    return own?.['enabled'] === true ? { [name]: { ...account, ...own } } : {}
  })
  return Object.assign({ ...section }, ...networks) as Section
}

const accounts: { readonly [network: string]: Section } = {
  bluesky: { handle: 'you.example', app_password: 'app-password' },
  mastodon: { base_url: 'https://mastodon.example', access_token: 'token' },
  x: { client_id: 'client', access_token: 'token' },
}
