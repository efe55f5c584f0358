import { temporaryDirectory } from '@muster/testing';
import { expectSavedAsReplayed } from '@muster/testing/platform';
import { RegistrationView } from './registration-view';
import { CLUSTERS, HOSTS, INFRA_ENVS } from './view-entries';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

describe('the registration view', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    const shapes = [HOSTS, CLUSTERS, INFRA_ENVS];
    await expectSavedAsReplayed(directory.path, shapes, (make, position) => new RegistrationView(make, position));
  });
});
