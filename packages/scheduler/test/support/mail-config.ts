/** Mail is configured; nobody listens at the server's address. */
export const mailConfig = {
  smtp_url: 'smtp://127.0.0.1:9',
  mail_address: 'agents@example.org',
  notification_email: 'ada@example.org',
  mail_hmac_key: 'k'.repeat(32),
} as const
