export const iso = (time: number): string => new Date(time).toISOString()

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time))

export const avatarOf = (username: string): string => `/letter_avatar_proxy/v4/letter/${username[0] ?? 'x'}/{size}.png`
