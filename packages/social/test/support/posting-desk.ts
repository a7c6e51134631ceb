import type { TestLocation } from '@callboard/store/testing'
import { ProposalDesk } from '../../src/approval/proposal-desk.js'
import type { NetworkName } from '../../src/config.js'
import { MediaStore } from '../../src/media/media-store.js'
import { openLocal } from '../../src/networks/local/open-local.js'
import { Networks } from '../../src/networks/networks.js'
import { Publisher } from '../../src/publishing/publisher.js'
import { decisionTools } from '../../src/tools/decision-tools.js'
import { proposalTools } from '../../src/tools/proposal-tools.js'
import { queueTools } from '../../src/tools/queue-tools.js'
import { type Answer, ada, type CallTool, operator, serveForTest } from './call-tool.js'
import { FaultyNetwork } from './faulty-network.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from './test-foundation.js'

export interface PostingDeskOptions extends TestFoundationOptions {
  /** Under which name the one network goes; default: local. */
  readonly name?: NetworkName
  /** Another one's foundation, for a second replica. */
  readonly foundation?: TestFoundation
  readonly location?: TestLocation
}

/** Everything between a proposal and the network, with the tools before it; time stands still. */
export interface PostingDesk extends AsyncDisposable {
  readonly foundation: TestFoundation
  readonly network: FaultyNetwork
  readonly publisher: Publisher
  readonly desk: ProposalDesk
  readonly call: CallTool
  /** Proposes as ada and returns the id. */
  propose(args?: object): Promise<number>
  /** Proposes, and approves as the operator. */
  approved(args?: object): Promise<number>
  /** What is out on the network, oldest first, samples left out. */
  posts(): Promise<readonly { readonly text: string; readonly reply_to: number | null; readonly id: number }[]>
  item(id: number): Promise<Answer['data']>
}

export async function openPostingDesk(options: PostingDeskOptions = {}): Promise<PostingDesk> {
  const foundation = options.foundation ?? (await openTestFoundation(options))
  const local = await openLocal({ handle: 'you', foundation })
  const network = new FaultyNetwork(local, options.name)
  const networks = new Networks([network.adapter])
  const media = new MediaStore({ roots: [], clock: foundation.clock })
  const publisher = new Publisher({
    ...foundation,
    networks,
    owner: `process-${options.foundation === undefined ? 1 : 2}`,
    media,
    markReplied: async (db, where, remoteId) => {
      await db
        .updateTable('discovered_posts')
        .set({ replied_to: 1 })
        .where('network', '=', where)
        .where('remote_id', '=', remoteId)
        .execute()
    },
  })
  const wakePublisher = () => publisher.wake()
  const desk = new ProposalDesk({ ...foundation, networks, wakePublisher })
  const { call, link } = await serveForTest(
    [
      ...queueTools({ ...foundation, networks }),
      ...proposalTools({ ...foundation, networks, proposals: desk, media }),
      ...decisionTools({ ...foundation, networks, wakePublisher }),
    ],
    foundation,
  )
  const propose = async (args: object = {}) => {
    const answer = await call('propose_post', { parts: ['Agents need callboards.'], kind: 'tweet', ...args }, ada)
    if (!answer.success) throw new Error(JSON.stringify(answer.error))
    return answer.data.id as number
  }
  return {
    foundation,
    network,
    publisher,
    desk,
    call,
    propose,
    approved: async (args) => {
      const id = await propose(args)
      const answer = await call('approve_item', { id }, operator)
      if (!answer.success) throw new Error(JSON.stringify(answer.error))
      return id
    },
    posts: () =>
      foundation.store.db
        .selectFrom('local_posts')
        .select(['id', 'text', 'reply_to'])
        .where('sample', '=', 0)
        .where('account', '=', 'you')
        .orderBy('id')
        .execute(),
    item: async (id) => (await call('get_item', { id }, operator)).data,
    async [Symbol.asyncDispose]() {
      await publisher.close()
      await link.close()
      if (options.foundation === undefined) await foundation[Symbol.asyncDispose]()
    },
  }
}
