import twitter from 'twitter-text'
import { weightedLengthMax } from '../../limits.js'
import type { Spent } from './spending.js'

/** USD for each resource of an answer, or for each request that changes something; X's price list as of 20 April 2026. */
export const xPrices = {
  postRead: 0.005,
  userRead: 0.01,
  /** Any resource of our own timelines and mentions. */
  ownedRead: 0.001,
  create: 0.015,
  createWithUrl: 0.2,
  delete: 0.01,
} as const

/** What X makes a link of costs the higher price, with or without https:// in front. Text behind what fits is not looked at. */
export function createPrice(text: string): number {
  return twitter.extractUrls(text.slice(0, weightedLengthMax)).length > 0 ? xPrices.createWithUrl : xPrices.create
}

/** Posts of others, and the authors that come with them. */
export function postsRead(posts: number, authors: number): Spent {
  return { units: posts + authors, cost: posts * xPrices.postRead + authors * xPrices.userRead }
}

export function usersRead(count: number): Spent {
  return { units: count, cost: count * xPrices.userRead }
}

export function ownedRead(count: number): Spent {
  return { units: count, cost: count * xPrices.ownedRead }
}
