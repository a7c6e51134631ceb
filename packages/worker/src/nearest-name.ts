/** Apart from the rest, for who wants no socket with it. */
export { didYouMean, nearestName } from '@callboard/protocol/nearest-name'
