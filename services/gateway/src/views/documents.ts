import { setImmediate as nextTurn } from 'node:timers/promises';
import { documentSecretName } from '@muster/contracts';
import { SECRETS } from '@muster/nest-kit';
import { type ReadModelQuery, type ReadModels, type Secrets, unavailableIn } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';

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

/** Yields all documents of a query in pages. */
export async function* findAll<Document extends object>(
  readModels: ReadModels,
  query: Omit<ReadModelQuery<Document>, 'offset' | 'limit'>,
): AsyncIterable<readonly Document[]> {
  for (let offset = 0; ; offset += PAGE_DOCUMENTS) {
    const page = await readModels.find<Document>({ ...query, offset, limit: PAGE_DOCUMENTS });
    yield page.map(({ document }) => document);
    if (page.length < PAGE_DOCUMENTS) return;
    // A read model in memory returns its pages in one turn. Other requests are answered between them.
    await nextTurn();
  }
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
