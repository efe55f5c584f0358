import { setImmediate as nextTurn } from 'node:timers/promises';
import { type IgnitionConfig, MODE_READABLE, readTextFile, textFile, toIgnitionJson } from '@muster/ignition-config';
import { IGNORED_REPORT, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import { InstallerBinaries, type OpenshiftInstallSettings } from './installer-binaries';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

const SETTINGS: OpenshiftInstallSettings = {
  installerPath: undefined,
  releases: [],
  registries: { settings: undefined, mirrors: [], permittedMirrors: 'any' },
  workDirectory: '',
  certificatesDirectory: undefined,
  timeoutMs: 0,
  installerUserId: 0,
  installerMemoryBytes: 0,
  proxyEnvironment: {},
};
const FOLDER = '/opt/openshift/openshift';

afterEach(() => jest.restoreAllMocks());

it('the status of many hosts is added to the bootstrap config in several turns of the event loop', async () => {
  const order = sampleInstallRequest();
  const resource = (hostname: string): string => `kind: BareMetalHost\nmetadata: {name: ${hostname}}\nspec: {}\n`;
  const files = Array.from({ length: 40 }, (_, index) =>
    textFile(
      `${FOLDER}/99_openshift-cluster-api_hosts-${index}.yaml`,
      MODE_READABLE,
      resource(order.hosts[index]?.hostname ?? `host-${index}`),
    ),
  );
  const output = {
    'bootstrap.ign': toIgnitionJson({ ignition: { version: '3.2.0' }, storage: { files } }),
    'master.ign': '{"ignition":{"version":"3.2.0"}}',
    'worker.ign': '{"ignition":{"version":"3.2.0"}}',
  };
  const binaries = new InstallerBinaries(SETTINGS, () => Promise.reject(new Error('not read')));
  const toolchain = openshiftInstallToolchain(SETTINGS, binaries);
  // Each piece of work takes longer than its share of a turn.
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 100));
  let [turns, isEnded] = [0, false];
  const counted = (async () => {
    for (; !isEnded; turns += 1) await nextTurn();
  })();
  const { artifacts } = await toolchain.make(order, async () => Buffer.from(JSON.stringify(output)), IGNORED_REPORT);
  isEnded = true;
  await counted;
  const text = artifacts.find(({ name }) => name === 'bootstrap.ign')?.content.toString() ?? '';
  const bootstrap = JSON.parse(text) as IgnitionConfig;
  const first = readTextFile(bootstrap, `${FOLDER}/99_openshift-cluster-api_hosts-0.yaml`);
  expect(first).toContain('externallyProvisioned: true');
  // Two files in each turn: the time is not read before the first one.
  expect(turns).toBeGreaterThanOrEqual(19);
});
