import type { Category, Tag } from './entities.js'
import { slugOf } from './slug.js'

export type NewCategory = Partial<Omit<Category, 'id' | 'name'>>

/** Where topics belong: categories and tags. */
export class Boards {
  readonly categories: Category[] = []
  readonly tags: Tag[] = []
  #lastCategoryId = 0
  #lastTagId = 6

  addCategory(name: string, options: NewCategory = {}): Category {
    const category: Category = {
      id: ++this.#lastCategoryId,
      name,
      slug: slugOf(name),
      parentId: null,
      color: '0088CC',
      textColor: 'FFFFFF',
      description: null,
      onlyFor: null,
      ...options,
    }
    this.categories.push(category)
    return category
  }

  category(id: number | null): Category | undefined {
    return this.categories.find((category) => category.id === id)
  }

  named(name: string): Category | undefined {
    const wanted = name.toLowerCase()
    return this.categories.find(({ name, slug }) => name.toLowerCase() === wanted || slug === wanted)
  }

  /** Without one it is the first, which takes what belongs nowhere. */
  idOf(which: number | string | undefined): number | null {
    const found = typeof which === 'string' ? this.named(which) : this.category(which ?? 1)
    if (found === undefined && which !== undefined) throw new Error(`the forum has no category ${which}`)
    return found?.id ?? null
  }

  /** Makes it where it is not there. */
  tag(name: string, group: string | null = null): Tag {
    const found = this.findTag(name)
    if (found !== undefined) return found
    const tag = { id: ++this.#lastTagId, name, group }
    this.tags.push(tag)
    return tag
  }

  findTag(name: string): Tag | undefined {
    return this.tags.find((tag) => tag.name === name)
  }
}
