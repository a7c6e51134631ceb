import { type Answer, json } from '../http/answer.js'
import { notPermitted } from '../http/refusal.js'
import type { ForumRequest, Site } from './route.js'

/** An account; what is wrong with it comes with 200, too. */
export function createUser({ input, visitor }: ForumRequest, { forum, setting }: Site): Answer {
  if (visitor.by !== 'admin-key' || visitor.user?.admin !== true) throw notPermitted()
  const [username, email, password, name] = ['username', 'email', 'password', 'name'].map(
    (each) => input.text(each) ?? '',
  )
  const taken = forum.users.byEmail(email!) !== undefined
  const errors = {
    ...(!/^[A-Za-z0-9_][A-Za-z0-9_.-]{1,19}$/.test(username!) && {
      username: ['must be 2 to 20 letters, numbers, dashes, dots or underscores'],
    }),
    ...(forum.users.find(username!) !== undefined && { username: ['must be unique'] }),
    ...(!/^\S+@\S+$/.test(email!) && { email: ['is invalid.'] }),
    ...(taken && !setting.hidesTakenEmails && { email: ['has already been taken'] }),
    ...([...password!].length < 10 && { password: ['is too short (minimum is 10 characters)'] }),
  }
  if (Object.keys(errors).length > 0) return refused(errors, { username, name, email: email?.toLowerCase() })
  const active = input.flag('active')
  const message = active
    ? 'Your account is activated and ready to use.'
    : 'You are almost done! We sent an activation mail to the address that you gave.'
  // Whoever asks is not to learn which addresses are known.
  if (taken) return json({ success: true, active, message })
  const user = forum.addUser(username!, {
    email: email!,
    name: name === '' ? null : name!,
    active,
    approved: input.flag('approved'),
    trustLevel: 1,
  })
  return json({ success: true, active, message, user_id: user.id })
}

function refused(errors: Readonly<Record<string, readonly string[]>>, values: object): Answer {
  const message = Object.entries(errors).flatMap(([field, said]) => said.map((each) => `${field} ${each}`))
  return json({ success: false, message: message.join('\n'), errors, values, is_developer: false })
}
