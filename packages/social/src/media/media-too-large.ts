import { failure, type SocialFailure } from '../envelope/failure.js'

export function mediaTooLarge(which: string, bytesMax: number): SocialFailure {
  return failure('validation_error', `${which} has more than ${bytesMax} bytes: make it smaller.`, {
    details: { bytes_max: bytesMax },
  })
}
