/** What a link looks like, also to networks that make one of a bare name. */
const links =
  /\b(?:https?:\/\/|www\.)[^\s<>"]+|\b(?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,}\/[^\s<>"]*|\b(?:[\p{L}\p{N}-]+\.)+(?:com|net|org|info|biz|xyz|ru|top|site|online|link|click|shop)\b/giu
const mentions = /(?<![\p{L}\p{N}_])@([\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?)/giu

/** Addresses in the text whose host is not in what was asked for. */
export function strangeLinks(text: string, asked: string): readonly string[] {
  const known = asked.toLowerCase()
  return (text.match(links) ?? []).filter((link) => !known.includes(hostOf(link)))
}

/** Accounts that the text would call, other than those that were named with their @. Without it. */
export function strangeMentions(text: string, asked: string): readonly string[] {
  const known = asked.toLowerCase()
  return [...text.matchAll(mentions)]
    .map((match) => match[1]!)
    .filter((name) => !known.includes(`@${name.toLowerCase()}`))
}

function hostOf(link: string): string {
  return link
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .split(/[/?#]/)[0]!
}
