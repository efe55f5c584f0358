import { spawnSync } from 'node:child_process';
import { fromDataUrl } from '../config/ignition-file';
import { hostNodeConfig } from '../install/node-files';
import { sampleBootstrap } from '../install/sample-install.fixture.spec';
import { renderBootstrapIgnition } from './render-bootstrap-ignition';

const isInstalled = spawnSync('bash', ['--version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: bash is not installed)';
const whenPresent = isInstalled ? describe : describe.skip;

const CONFIGS = [
  renderBootstrapIgnition(sampleBootstrap()),
  renderBootstrapIgnition(sampleBootstrap({ isOkd: true, openshiftVersion: '4.19.0-okd-scos.1' })),
  renderBootstrapIgnition(sampleBootstrap({ isSingleNode: true, releaseImage: "x'; reboot '" })),
  hostNodeConfig({ hostname: 'a', nodeIpHint: '', isPersistentBoot: true }),
];
const scripts = new Map(
  CONFIGS.flatMap(({ storage }) => storage?.files ?? [])
    .map(({ path, contents }): [string, string] => [path, fromDataUrl(contents?.source ?? '') ?? ''])
    .filter(([, text]) => text.startsWith('#!')),
);

whenPresent(`bash${missing}`, () => {
  it.each([...scripts])('parses %s', (_, text) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
