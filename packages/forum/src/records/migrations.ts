import { columnsFor, type Migration } from '@callboard/store'

export const migrations: readonly Migration[] = [
  {
    name: '001_forum',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      const { schema } = db
      await schema
        .createTable('write_slots')
        .addColumn('base', column.text, (it) => it.primaryKey())
        .addColumn('next_at', column.milliseconds, (it) => it.notNull())
        .execute()
      await schema
        .createTable('write_journal')
        .addColumn('key', column.text, (it) => it.primaryKey())
        .addColumn('base', column.text, (it) => it.notNull())
        .addColumn('tool', column.text, (it) => it.notNull())
        .addColumn('state', column.text, (it) => it.notNull())
        .addColumn('holder', column.text, (it) => it.notNull())
        .addColumn('ends_at', column.milliseconds, (it) => it.notNull())
        .addColumn('sent_at', column.milliseconds, (it) => it.notNull())
        .addColumn('output', column.json)
        .execute()
      await schema.createIndex('write_journal_time').on('write_journal').columns(['sent_at']).execute()
      await schema
        .createTable('inbox_cursors')
        .addColumn('base', column.text, (it) => it.notNull())
        .addColumn('identity', column.text, (it) => it.notNull())
        .addColumn('owner', column.text, (it) => it.notNull())
        .addColumn('cursor', column.json, (it) => it.notNull())
        .addColumn('updated_at', column.milliseconds, (it) => it.notNull())
        .addPrimaryKeyConstraint('inbox_cursors_key', ['base', 'identity', 'owner'])
        .execute()
    },
  },
]
