import type { TableName } from '../databases.ts';
import type { SchemaTable } from '../migrations/schema-version.ts';
import { TABLES } from '../schema.ts';
import { openToldViews, openViewNotes } from '../told-views.ts';
import type { RealmReader } from '../transaction.ts';
import type { WriteSet } from './commit-log.ts';

/** The tables behind views, by the names under which they are stored. */
const BEHIND_VIEWS: ReadonlyMap<string, TableName> = new Map(
  Object.entries(TABLES).flatMap(([name, { name: stored, feedsViews }]) =>
    feedsViews ? [[stored, name as TableName]] : [],
  ),
);

/** Opens the views of a copy, which are told of the rows behind them as records are applied. */
export function openViewsOf(reader: RealmReader, schema: SchemaTable) {
  const views = openToldViews(reader, schema);
  const notes = openViewNotes(schema, {
    tables: [...BEHIND_VIEWS.values()],
    tell: (version, keys) => views.told(version, keys),
  });
  return {
    views,
    /**
     * Notes the writes of a record that is about to be applied. Views that are used before it can
     * be read stay as they are until then.
     */
    noteViews(writes: WriteSet) {
      notes.add(
        writes.flatMap(([stored, rows]) => {
          const table = BEHIND_VIEWS.get(stored);
          return table === undefined ? [] : rows.map(([key]) => ({ table, key }));
        }),
      );
      notes.write();
      notes.tell();
    },
  };
}
