/** Of a request; core takes files of about this size. */
export const requestBytesMax = 10 * 1024 * 1024
/** Requests in the log; the oldest give way. */
export const loggedRequestsMax = 100_000
/** Bodies in the log together; beyond this the log keeps new requests without theirs. */
export const loggedBytesMax = 64 * 1024 * 1024
/** Answers shorter than this are not worth compressing; so do the usual proxies before core. */
export const gzipBytesMin = 1_000
/** Posts in one answer of a topic. */
export const postsPerAnswer = 20
/** Posts before the one that was asked for: a quarter of an answer. */
export const postsBefore = 5
/** From so many posts on a topic no longer tells the ids of all its posts. */
export const megaTopicPosts = 10_000
/** Rows of a list of topics. */
export const topicsPerPage = 30
/** Of all topics together. */
export const latestPostsPerPage = 50
/** As sites are set up at first. */
export const tagsPerTopicMax = 5
/** Posts, each of another topic. */
export const searchRowsPerPage = 50
/** Further back nobody gets. */
export const searchPagesMax = 10
/** Characters, as sites are set up at first; the short ones are shorter than there, for tests. */
export const searchTermMin = 3
export const titleMin = 5
export const titleMax = 255
export const bodyMin = 5
export const bodyMax = 32_000
/** How long an identical POST /posts.json with an Api-Key gets the stored first answer, ms. */
export const memoMs = 120_000
/** Answers that are stored for that. */
export const memosMax = 1_000
/** Rows in one answer; where there is a default, it is what comes unasked. */
export const groupsPerPage = 36
export const userActionsDefault = 30
export const userActionsMax = 100
export const draftsPerPageMax = 50
/** How many one user may have. */
export const draftsPerUserMax = 200
/** Messages in one answer. */
export const chatMessagesMax = 50
/** Characters. */
export const chatMessageMax = 6_000
export const channelsPerPage = 25
export const notificationsPerPage = 60
export const usersPerPage = 100
export const categoriesPerCall = 50
/** Characters of an excerpt. */
export const excerptMax = 220
/** All uploads together; the oldest lose their content. */
export const uploadBytesMax = 50 * 1024 * 1024
