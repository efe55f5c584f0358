import { setImmediate as nextTurn } from 'node:timers/promises';
import { inMemoryReadModels, inMemorySecrets } from '@muster/adapter-in-memory';
import type { FastifyRequest } from 'fastify';
import { infraEnvDocument } from '../sample-documents.fixture.spec';
import { SealedTexts } from './documents';
import { type ImageUrls, InfraEnvViews } from './infra-env-views';
import { RENDERING_TIME, RenderTurns } from './render-turns';

const INFRA_ENVS = 6;

describe('the list of infra-envs', () => {
  let nowMs = 0;
  const work: string[] = [];
  const worked = (what: string): void => {
    work.push(what);
    nowMs += RENDERING_TIME.minMs;
  };
  const readModels = inMemoryReadModels();
  const urls = {
    of: async () => {
      worked('read');
      return 'http://images';
    },
    expiresAt: () => undefined,
  } as unknown as ImageUrls;
  const config = { componentVersions: { 'assisted-installer-service': 'v1' } };
  const views = new InfraEnvViews(
    readModels,
    urls,
    new SealedTexts(inMemorySecrets()),
    config,
    new RenderTurns(() => nowMs),
  );
  beforeAll(async () => {
    const changes = Array.from({ length: INFRA_ENVS }, (_, index) =>
      infraEnvDocument({ id: `infra-env-${index}`, created_at: `2024-01-0${index + 1}T00:00:00.000Z` }),
    );
    await readModels.commit(
      'views',
      1,
      changes.map(({ collection, key, document }) => ({
        kind: 'put' as const,
        collection,
        key,
        // Rendering reads the name last.
        document: Object.defineProperty({ ...document }, 'name', { enumerable: true, get: () => worked('rendered') }),
      })),
    );
  });

  it('is read and rendered in turns of the event loop, each infra-env as one piece', async () => {
    const list = views.list({}, () => true, {} as FastifyRequest);
    let turns = 0;
    let isDone = false;
    const counted = (async () => {
      for (; !isDone; turns += 1) await nextTurn();
    })();
    const pieces = await list;
    isDone = true;
    await counted;
    expect(work.filter((what) => what === 'read')).toHaveLength(INFRA_ENVS);
    expect(turns).toBeGreaterThanOrEqual(2 * INFRA_ENVS - 1);
    expect(pieces).toHaveLength(2 * INFRA_ENVS + 1);
    const ids = (JSON.parse(pieces.join('')) as { readonly id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: INFRA_ENVS }, (_, index) => `infra-env-${index}`));
  });
});
