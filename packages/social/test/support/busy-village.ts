import type { VirtualClock } from '@callboard/worker/testing'
import { type MastodonServer, startMastodonServer } from './mastodon-server.js'
import type { WholeWorker } from './whole-worker.js'

const hour = 60 * 60_000

/** A Mastodon server where more is written in every hour than we may answer in a day. */
export class BusyVillage implements AsyncDisposable {
  readonly server: MastodonServer
  readonly section: object
  #written = 0

  static async open(clock: VirtualClock): Promise<BusyVillage> {
    // In less than a second of ours hours pass: what it may be asked is not the point.
    return new BusyVillage(await startMastodonServer({ clock, requestsMax: 1_000_000 }))
  }

  private constructor(server: MastodonServer) {
    this.server = server
    this.section = { enabled: true, base_url: server.url, access_token: server.token }
    server.addAccount({ username: 'mayor', followers: 5_000 })
  }

  /** Hours pass; in each of them people write, some to us, and some of them twice. */
  async live(whole: WholeWorker, hours: number, stepMs = 0): Promise<void> {
    for (let passed = 0; passed < hours; passed += 1) {
      this.#write()
      await whole.pass(hour, stepMs)
    }
  }

  /** Requests of loops that read. */
  get readings(): number {
    return this.server.calls(/^GET \/api\/(v1\/(timelines|notifications|accounts\/\d+\/statuses)|v2\/search)/).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
  }

  #write(): void {
    const { server } = this
    const serial = ++this.#written
    const person = (name: string) =>
      server.findAccount(name) ?? server.addAccount({ username: name, followers: 2_000 + serial })
    const popular = { likes: 200, reblogs: 50 }
    server.addStatus({ by: person(`villager${serial % 20}`), text: `#tomatoes and compost, day ${serial}`, ...popular })
    server.addStatus({ by: person('regular'), text: `#watering tomatoes with compost again ${serial}`, ...popular })
    server.addStatus({
      by: person(`guest${serial % 15}`),
      text: `@callboard what about compost ${serial}?`,
      ...popular,
    })
    server.addStatus({ by: person('regular'), text: `@callboard and watering tomatoes ${serial}?`, ...popular })
    server.addStatus({ by: person('mayor'), text: `The village speaks of tomatoes ${serial}`, ...popular })
  }
}
