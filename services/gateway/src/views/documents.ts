import { setImmediate as nextTurn } from 'node:timers/promises';
import { JOURNEYS_PROJECTION } from '@muster/assisted-api';
import { documentSecretName } from '@muster/contracts';
import { SECRETS } from '@muster/nest-kit';
import {
  byText,
  type ReadModelDocument,
  type ReadModelQuery,
  type ReadModels,
  type Secrets,
  START_OF_STORE,
  unavailableIn,
} from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { textAt } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';

/**
 * The read models without writes. Reads are refused with `busy` while the documents are rebuilt: a missing document would look like
 * a deleted one, and clients end when their cluster or host does not exist.
 */
export class GatewayReadModels implements Omit<ReadModels, 'commit' | 'resume' | 'close'> {
  private rebuilt: string | undefined;
  private timelinesFrom = START_OF_STORE;

  constructor(private readonly stored: Pick<ReadModels, 'get' | 'find' | 'count' | 'checkpoint'>) {}

  /** `progress`: the position of the documents; undefined when they are complete. */
  refuseReads(progress: string | undefined): void {
    this.rebuilt = progress;
  }

  /** `position`: the one from which the timelines are complete. */
  requireTimelines(position: number): void {
    this.timelinesFrom = position;
  }

  readonly checkpoint: ReadModels['checkpoint'] = (projection) => this.stored.checkpoint(projection);
  readonly get: ReadModels['get'] = (collection, key) => this.whenComplete(() => this.stored.get(collection, key));
  readonly find: ReadModels['find'] = (query) => this.whenComplete(() => this.stored.find(query));
  readonly count: ReadModels['count'] = (conditions) => this.whenComplete(() => this.stored.count(conditions));

  /** @throws RefusalError `busy` while the documents are rebuilt */
  async requireComplete(): Promise<void> {
    if (this.rebuilt !== undefined) throw rebuiltRefusal('The read models are', this.rebuilt);
  }

  /**
   * Called after the timelines were read: their position is removed before they are discarded.
   * @throws RefusalError `busy` while the timelines are rebuilt
   */
  async requireCompleteTimelines(): Promise<void> {
    const progress = await this.timelinesProgress();
    if (progress !== undefined) throw rebuiltRefusal('The timelines of installations are', progress);
  }

  /** Returns the position of the timelines while they are rebuilt; undefined when they are complete. */
  async timelinesProgress(): Promise<string | undefined> {
    const position = await this.stored.checkpoint(JOURNEYS_PROJECTION);
    return position >= this.timelinesFrom ? undefined : `at position ${position} of ${this.timelinesFrom}`;
  }

  private whenComplete<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.rebuilt === undefined ? read() : this.requireComplete().then(read);
  }
}

const rebuiltRefusal = (what: string, progress: string): RefusalError =>
  new RefusalError({
    code: 'busy',
    reason: `${what} rebuilt from the events (${progress}). Send the request again later.`,
  });

/** Reads the documents of users to which read models refer by digest. */
@Injectable()
export class SealedTexts {
  constructor(@Inject(SECRETS) private readonly secrets: Secrets) {}

  /**
   * `scope`: id of the cluster or infra-env. Returns undefined without a digest, and when the document was destroyed
   * with its scope.
   */
  async of(scope: string, digest: string | undefined): Promise<string | undefined> {
    if (!digest) return undefined;
    return (await this.secrets.open(scope, documentSecretName(digest)))?.toString('utf8');
  }
}

/** Whether a read failed because the documents are rebuilt, or because MongoDB is not available. */
export const isUnreadable = (error: unknown): boolean =>
  (error instanceof RefusalError && error.refusal.code === 'busy') || unavailableIn(error) !== undefined;

const PAGE_DOCUMENTS = 1_000;

type Page<Document extends object> = readonly ReadModelDocument<Document>[];

interface OrderedPages<Document extends object> {
  readonly pages: readonly Page<Document>[];
  readonly documents: readonly Document[];
}

/** The order of a list by a text of its documents. Equal texts are ordered by key. */
export class ListOrder<Document extends object> {
  /** By the first page: a read model in memory returns the same pages until one of their documents changes. */
  private readonly kept = new WeakMap<Page<Document>, OrderedPages<Document>>();

  constructor(
    readonly field: keyof Document & string,
    readonly descending = false,
  ) {}

  /** Returns the documents of all pages in order. */
  documentsOf(pages: readonly Page<Document>[]): readonly Document[] {
    const [first = []] = pages;
    const kept = this.kept.get(first);
    if (kept?.pages.length === pages.length && kept.pages.every((page, index) => page === pages[index]))
      return kept.documents;
    const sign = this.descending ? -1 : 1;
    const placed = pages
      .flat()
      .map(({ key, document }) => ({ key, document, text: textAt(document, this.field) ?? '' }))
      .sort((left, right) => sign * byText(left.text, right.text) || byText(left.key, right.key));
    const documents = placed.map(({ document }) => document);
    this.kept.set(first, { pages, documents });
    return documents;
  }
}

/**
 * Yields all documents of a query in pages; in one page when they have another order than that of their keys. A document that is removed
 * meanwhile would move the others to an earlier offset, so several pages are read by key. A list of one page is read in its order.
 */
export async function* findAll<Document extends object>(
  readModels: Pick<ReadModels, 'find'>,
  { order, ...query }: Omit<ReadModelQuery<Document>, 'orderBy' | 'offset' | 'limit'> & { order?: ListOrder<Document> },
): AsyncIterable<readonly Document[]> {
  if (order) {
    const { field, descending } = order;
    const page = await readModels.find<Document>({ ...query, orderBy: { field, descending }, limit: PAGE_DOCUMENTS });
    if (page.length < PAGE_DOCUMENTS) return yield page.map(({ document }) => document);
  }
  const pages: Page<Document>[] = [];
  for (let after = query.after; ;) {
    const page = await readModels.find<Document>({ ...query, after, limit: PAGE_DOCUMENTS });
    if (order) pages.push(page);
    else yield page.map(({ document }) => document);
    if (page.length < PAGE_DOCUMENTS) break;
    after = page.at(-1)?.key;
    // A read model in memory returns its pages in one turn. Other requests are answered between them.
    await nextTurn();
  }
  if (order) yield order.documentsOf(pages);
}

/** Returns the items of all pages. */
export async function collect<Item>(pages: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

export const noCluster = (clusterId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Cluster ${clusterId} was not found. List the clusters to see which exist.`,
  });

export const noInfraEnv = (infraEnvId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Infra-env ${infraEnvId} was not found. List the infra-envs to see which exist.`,
  });

export const noHost = (infraEnvId: string, hostId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Host ${hostId} was not found in infra-env ${infraEnvId}. List its hosts to see which exist.`,
  });

export const noHostOfCluster = (clusterId: string, hostId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Host ${hostId} was not found in cluster ${clusterId}. List its hosts to see which exist.`,
  });
