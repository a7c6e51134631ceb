import { postsBefore, postsPerAnswer } from '../limits.js'
import type { Post } from '../model/entities.js'

/** Posts around a number: from five before the one nearest to it, and so many as fit. At the end it begins earlier. */
export function windowAround(posts: readonly Post[], number: number): readonly Post[] {
  const nearest = indexNearest(posts, number)
  const latest = Math.max(0, posts.length - postsPerAnswer)
  const start = Math.min(Math.max(0, nearest - postsBefore), latest)
  return posts.slice(start, start + postsPerAnswer)
}

/** Posts after a number; or, unless asked for in ascending order, those before it, and backwards. */
export function windowBeside(posts: readonly Post[], number: number, ascending: boolean): readonly Post[] {
  if (posts.length === 0) return []
  const nearest = indexNearest(posts, number)
  if (ascending) return posts.slice(nearest + 1, nearest + 1 + postsPerAnswer)
  return posts.slice(Math.max(0, nearest - postsPerAnswer), nearest).toReversed()
}

function indexNearest(posts: readonly Post[], number: number): number {
  let best = 0
  for (const [index, post] of posts.entries()) {
    if (Math.abs(post.number - number) < Math.abs(posts[best]!.number - number)) best = index
  }
  return best
}
