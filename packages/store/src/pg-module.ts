/** node-postgres, which is loaded only when a PostgreSQL URL is used. */
export type PgModule = typeof import('pg')['default']
