import type { ReadModelQuery, ReadModels } from '@muster/ports';

/** All documents of a query, page after page. */
export async function* findAll<Document extends object>(
  readModels: ReadModels,
  query: Omit<ReadModelQuery<Document>, 'offset' | 'limit'>,
): AsyncIterable<Document> {
  const pageSize = 1_000;
  for (let offset = 0; ; offset += pageSize) {
    const page = await readModels.find<Document>({ ...query, offset, limit: pageSize });
    for (const { document } of page) yield document;
    if (page.length < pageSize) return;
  }
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
