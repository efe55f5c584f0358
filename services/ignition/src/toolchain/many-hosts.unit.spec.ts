import { setImmediate as nextTurn } from 'node:timers/promises';
import { type IgnitionConfig, MODE_READABLE, readTextFile, textFile, toIgnitionJson } from '@muster/ignition-config';
import { builtinToolchain } from './builtin-toolchain';
import { InstallerBinaries, type OpenshiftInstallSettings } from './openshift-install/installer-binaries';
import { openshiftInstallToolchain } from './openshift-install/openshift-install-toolchain';
import { IGNORED_REPORT, keptInMemory, sampleInstallRequest } from './sample-install-request.fixture.spec';
import type { MadeInstallation } from './toolchain.port';

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
  const { made, turns } = await countTurns(() =>
    toolchain.make(order, async () => Buffer.from(JSON.stringify(output)), IGNORED_REPORT),
  );
  expect(firstHostOf(made)).toContain('externallyProvisioned: true');
  // Two files in each turn: the time is not read before the first one.
  expect(turns).toBeGreaterThanOrEqual(19);
});

it('the built-in toolchain renders the manifests and the configs of many hosts in several turns of the event loop', async () => {
  const [order, keep, toolchain] = [sampleInstallRequest({}, 40), keptInMemory(), builtinToolchain()];
  // Creates the keys in another thread, for an unknown number of turns.
  const first = await toolchain.make(order, keep);
  const { made, turns } = await countTurns(() => toolchain.make(order, keep));
  expect(made).toEqual(first);
  expect(firstHostOf(made)).toContain('"externallyProvisioned": true');
  // Two manifests, or two configs, in each turn.
  expect(turns).toBeGreaterThanOrEqual(38);
});

const firstHostOf = ({ artifacts }: MadeInstallation): string | undefined => {
  const text = artifacts.find(({ name }) => name === 'bootstrap.ign')?.content.toString() ?? '';
  return readTextFile(JSON.parse(text) as IgnitionConfig, `${FOLDER}/99_openshift-cluster-api_hosts-0.yaml`);
};

/** Counts the turns of the event loop during the work. Each piece of work takes longer than its share of a turn. */
async function countTurns(
  work: () => Promise<MadeInstallation>,
): Promise<{ readonly made: MadeInstallation; readonly turns: number }> {
  let nowMs = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 100));
  let [turns, isEnded] = [0, false];
  const counted = (async () => {
    for (; !isEnded; turns += 1) await nextTurn();
  })();
  const made = await work();
  isEnded = true;
  await counted;
  return { made, turns };
}
