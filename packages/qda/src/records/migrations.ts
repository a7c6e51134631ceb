import { columnsFor, createCallReplies, type Migration } from '@callboard/store'

export const migrations: readonly Migration[] = [
  {
    name: '001_qda',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      const { schema } = db
      await schema
        .createTable('projects')
        .addColumn('key', column.text, (it) => it.primaryKey())
        .addColumn('path', column.text, (it) => it.notNull())
        .addColumn('uid', column.text, (it) => it.notNull())
        .addColumn('name', column.text, (it) => it.notNull())
        .addColumn('last_opened_at', column.milliseconds, (it) => it.notNull())
        .execute()
      await schema.createIndex('projects_time').on('projects').columns(['last_opened_at']).execute()
      await schema
        .createTable('suggestions')
        .addColumn('id', column.text, (it) => it.primaryKey())
        .addColumn('project', column.text, (it) => it.notNull())
        .addColumn('project_path', column.text, (it) => it.notNull())
        .addColumn('kind', column.text, (it) => it.notNull())
        .addColumn('tool', column.text, (it) => it.notNull())
        .addColumn('actor', column.text, (it) => it.notNull())
        .addColumn('status', column.text, (it) => it.notNull())
        .addColumn('created_at', column.milliseconds, (it) => it.notNull())
        .addColumn('record', column.json, (it) => it.notNull())
        .execute()
      await schema.createIndex('suggestions_status').on('suggestions').columns(['status', 'created_at', 'id']).execute()
      await schema.createIndex('suggestions_time').on('suggestions').columns(['created_at', 'id']).execute()
      await schema.createIndex('suggestions_project').on('suggestions').columns(['project']).execute()
      await createCallReplies(db, dialect)
    },
  },
]
