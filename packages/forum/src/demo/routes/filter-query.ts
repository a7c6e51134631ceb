import type { Topic } from '../model/entities.js'
import type { Site } from './route.js'
import { byActivity } from './topic-list.js'

const dayMs = 86_400_000

/** Topics that fit `category:support status:open created-after:30 order:title`; words that are none of these change nothing. */
export function filterTopics(topics: readonly Topic[], query: string, site: Site): readonly Topic[] {
  const conditions = [...query.matchAll(/(-?[a-z][a-z-]*):(\S+)/g)].map(([, name, value]) => [name!, value!] as const)
  const left = topics.filter((topic) => conditions.every(([name, value]) => fits(topic, name, value, site)))
  const order = conditions.find(([name]) => name === 'order')?.[1] ?? 'activity'
  return inOrder(left, order)
}

function fits(topic: Topic, name: string, value: string, { forum }: Site): boolean {
  const values = value.toLowerCase().split(',')
  switch (name) {
    case 'category':
    case 'categories':
      return values.some((each) => isIn(topic, each.replace(/^=/, ''), forum))
    case 'tag':
    case 'tags':
      return value.includes('+')
        ? value.split('+').every((each) => topic.tags.includes(each))
        : values.some((each) => topic.tags.includes(each))
    case '-tag':
    case '-tags':
      return !values.some((each) => topic.tags.includes(each))
    case 'status':
      return values.every((each) => hasStatus(topic, each))
    case 'created-by':
      return values.some((each) => topic.username.toLowerCase() === each.replace(/^@/, ''))
    case 'created-after':
      return topic.createdAt >= timeOf(value, forum.now())
    case 'created-before':
      return topic.createdAt < timeOf(value, forum.now())
    case 'activity-after':
      return topic.bumpedAt >= timeOf(value, forum.now())
    case 'posts-min':
      return topic.posts.length >= Number(value)
    default:
      return true
  }
}

function isIn({ categoryId }: Topic, slug: string, forum: Site['forum']): boolean {
  const category = forum.boards.category(categoryId)
  return category?.slug === slug || (category !== undefined && forum.boards.category(category.parentId)?.slug === slug)
}

function hasStatus({ closed, archived, visible }: Topic, status: string): boolean {
  if (status === 'open') return !closed && !archived
  if (status === 'closed') return closed
  if (status === 'archived') return archived
  return status === 'listed' ? visible : true
}

/** Days ago, or a date. */
function timeOf(value: string, now: number): number {
  return /^\d+$/.test(value) ? now - Number(value) * dayMs : Date.parse(value) || 0
}

function inOrder(topics: readonly Topic[], order: string): readonly Topic[] {
  const [name, direction] = order.split('-')
  const sorted =
    name === 'created'
      ? topics.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id)
      : name === 'title'
        ? topics.toSorted((a, b) => b.title.localeCompare(a.title))
        : name === 'posts'
          ? topics.toSorted((a, b) => b.posts.length - a.posts.length)
          : byActivity(topics)
  return direction === 'asc' ? sorted.toReversed() : sorted
}
