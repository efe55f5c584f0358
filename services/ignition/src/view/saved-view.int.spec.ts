import { temporaryDirectory } from '@muster/testing';
import { expectSavedAsReplayed } from '@muster/testing/platform';
import { INSTALL_SHAPES, InstallView } from './install-view';

describe('the installation view', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    await expectSavedAsReplayed(directory.path, INSTALL_SHAPES, (make) => new InstallView(make));
  });
});
