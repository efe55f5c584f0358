import { temporaryDirectory } from '@muster/testing';
import { expectInfraEnvKeptWithHosts, expectSavedAsReplayed } from '@muster/testing/platform';
import { FACTS_SHAPES } from './entry-kinds';
import { FactsView } from './facts-view';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

describe('the view of the rules', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    await expectSavedAsReplayed(directory.path, FACTS_SHAPES, (make) => new FactsView(make));
  });

  it('keeps an infra-env in memory as long as one of its hosts', async () => {
    await expectInfraEnvKeptWithHosts(directory.path, FACTS_SHAPES, (make) => new FactsView(make));
  });
});
