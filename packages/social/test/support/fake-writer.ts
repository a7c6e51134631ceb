import type { ContentWriter, PostWish, ReplyWish, ThreadWish, Written } from '../../src/content/content-writer.js'

type Wish = { readonly kind: 'reply' | 'post' | 'thread' } & Omit<Partial<ReplyWish & PostWish & ThreadWish>, 'parts'>

/** Writes something new each time, and tells how often it was asked: what a model would have cost. */
export class FakeWriter implements ContentWriter {
  hasModel = true
  readonly wishes: Wish[] = []
  readonly #failures: Error[] = []

  failNext(error: Error): void {
    this.#failures.push(error)
  }

  reply(wish: ReplyWish): Promise<Written> {
    return this.#write({ kind: 'reply', ...wish }, 'ask_question', 1)
  }

  post(wish: PostWish): Promise<Written> {
    return this.#write({ kind: 'post', ...wish }, wish.format ?? 'tip', 1)
  }

  thread({ parts = 5, ...wish }: ThreadWish): Promise<Written> {
    return this.#write({ kind: 'thread', ...wish }, wish.structure ?? 'framework', parts)
  }

  async check() {
    return { status: 'ok', message: 'works' } as const
  }

  async #write(wish: Wish, shape: string, parts: number): Promise<Written> {
    this.wishes.push(wish)
    const error = this.#failures.shift()
    if (error !== undefined) throw error
    return {
      parts: Array.from({ length: parts }, (_, part) => `text ${this.wishes.length}.${part + 1}`),
      generatedBy: 'llm',
      ...(wish.kind !== 'reply' && { topic: wish.topic ?? 'anything' }),
      shape,
      warnings: [],
    }
  }
}
