import { setImmediate as nextTurn } from 'node:timers/promises';
import { emptyIgnition, type ManifestFile } from '@muster/ignition-config';
import { DocumentWorkers } from '@muster/nest-kit';
import { hostConfigs, placedManifests } from './host-configs';
import { sampleHost, sampleInstallRequest } from './sample-install-request.fixture.spec';

afterEach(() => jest.restoreAllMocks());

it('the configs of many hosts are rendered in several turns of the event loop', async () => {
  // Each piece of work takes longer than its share of a turn.
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 100));
  let [turns, isEnded] = [0, false];
  const counted = (async () => {
    for (; !isEnded; turns += 1) await nextTurn();
  })();
  const roles = new Map([
    ['master', emptyIgnition()],
    ['worker', emptyIgnition()],
  ]);
  const made = await hostConfigs(sampleInstallRequest({}, 20), roles, DocumentWorkers.create());
  isEnded = true;
  await counted;
  expect(made).toHaveLength(22);
  // Two hosts in each turn: the time is not read before the first one.
  expect(turns).toBeGreaterThanOrEqual(9);
});

it('an override that the booted system of a host cannot read is refused', async () => {
  const roles = new Map([['master', emptyIgnition()]]);
  const ignitionOverride = JSON.stringify({ ignition: { version: '3.4.0' } });
  const configsWith = (imageVersion: string) =>
    hostConfigs(
      sampleInstallRequest({ hosts: [sampleHost(0, { ignitionOverride, imageVersion })] }),
      roles,
      DocumentWorkers.create(),
    );
  await expect(configsWith('4.11.58')).rejects.toThrow(
    'the ignition override of host master-0 cannot be used: OpenShift 4.11.58 reads version 3.3.0',
  );
  expect(await configsWith('4.14.2')).toHaveLength(2);
});

describe('manifests that are patched', () => {
  const file = (fileName: string, content: string): ManifestFile => ({ folder: 'manifests', fileName, content });
  const patch = file('a.yaml.patch', '- {op: add, path: /b, value: 1}');

  it.each([
    ['short ones in the thread of the service', 'a: 1', false],
    ['long ones in a worker', `a: ${'x'.repeat(5_000)}`, true],
    ['those with an alias in a worker, because it may stand for most of the document', 'a: &a [1]\nc: *a', true],
  ])('are read: %s', async (_case, content, isInWorker) => {
    const documents = DocumentWorkers.create();
    const run = jest.spyOn(documents, 'runAlone');
    const placed = await placedManifests(documents, [file('a.yaml', content)], [patch], 'token');
    expect(placed).toHaveLength(1);
    expect(run.mock.calls.length > 0).toBe(isInWorker);
  });
});
