import { temporaryDirectory } from '@muster/testing';
import { expectSavedAsReplayed } from '@muster/testing/platform';
import { RegistrationView } from './registration-view';
import { CLUSTERS, HOSTS, INFRA_ENVS } from './view-entries';

describe('the registration view', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    const shapes = [HOSTS, CLUSTERS, INFRA_ENVS];
    await expectSavedAsReplayed(directory.path, shapes, (make, position) => new RegistrationView(make, position));
  });
});
