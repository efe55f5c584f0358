import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLER_UID, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { IGNORED_REPORT, keptInMemory, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import type { InstallRequest } from '../toolchain.port';
import { credentialsIn } from './make-with-installer';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

let directory: TemporaryDirectory;
beforeEach(() => (directory = temporaryDirectory()));
afterEach(() => directory.remove());

/** Makes the artifacts with an installer that is a shell script. */
function makeWith(script: string, order: InstallRequest, certificatesDirectory?: string) {
  const tools = join(directory.path, 'tools');
  mkdirSync(tools);
  for (const path of [directory.path, tools]) chmodSync(path, 0o755);
  const installerPath = join(tools, 'openshift-install');
  writeFileSync(installerPath, `#!/bin/sh\n${script}\n`);
  chmodSync(installerPath, 0o755);
  const toolchain = openshiftInstallToolchain({
    installerPath,
    releases: [],
    registries: { settings: undefined, mirrors: [], permittedMirrors: 'any' },
    workDirectory: join(directory.path, 'work'),
    certificatesDirectory,
    timeoutMs: 30_000,
    installerUserId: INSTALLER_UID,
    installerMemoryBytes: 8 * 1024 ** 3,
    proxyEnvironment: {},
  });
  return toolchain.make(order, keptInMemory(), IGNORED_REPORT);
}

describe('the reason of a failed installer', () => {
  it('does not contain the credentials that the installer prints', async () => {
    const sample = sampleInstallRequest();
    const httpProxy = 'http://user:canary-proxy@10.128.1.1:3128';
    const order = { ...sample, settings: { ...sample.settings, proxy: { httpProxy, httpsProxy: '', noProxy: '' } } };
    const failure = makeWith(
      `echo 'proxy.httpProxy: Invalid value: "${httpProxy}": proxy value is part of the cluster networks' >&2
      echo 'pullSecret: Invalid value: ${JSON.stringify(sample.pullSecret)}: unexpected' >&2
      exit 1`,
      order,
    );
    await expect(failure).rejects.toThrow(/http:\/\/\*\*\*\*\*@10\.128\.1\.1:3128": proxy value is part of/);
    await expect(failure).rejects.not.toThrow(/canary/);
  });

  it('does not begin within a credential', async () => {
    const failure = makeWith(
      `echo '${sampleInstallRequest().pullSecret}${'x'.repeat(500)}' >&2; exit 1`,
      sampleInstallRequest(),
    );
    await expect(failure).rejects.toThrow(/failed: it ended with code 1: /);
    await expect(failure).rejects.not.toThrow(/secret/);
  });
});

it('the install-config contains no character that YAML refuses', async () => {
  const sample = sampleInstallRequest();
  const sshPublicKey = 'ssh-ed25519 AAAA J\u00e2\u0080\u0099s';
  const order = { ...sample, settings: { ...sample.settings, sshPublicKey } };
  const failure = makeWith(`grep -o 'AAAA [^"]*' install-config.yaml >&2; exit 1`, order);
  await expect(failure).rejects.toThrow('AAAA J\u00e2\\u0080\\u0099s');
});

describe('pointer configs', () => {
  /** Leaves the pointer configs of one certificate authority. */
  const SCRIPT = `cd "$4"
[ "$2" = manifests ] && { mkdir manifests openshift; exit; }
authorities='[{"source":"data:,CA"}]'
pointer='{"ignition":{"version":"3.2.0","security":{"tls":{"certificateAuthorities":'$authorities'}}}}'
mkdir auth
for name in bootstrap.ign master.ign worker.ign metadata.json auth/kubeadmin-password auth/kubeconfig; do
  echo "$pointer" >$name
done`;

  it('are sealed when clusters have the same certificate authority, because they may be equal', async () => {
    const certificates = join(directory.path, 'certificates');
    mkdirSync(certificates);
    const { artifacts } = await makeWith(SCRIPT, sampleInstallRequest({}, 5), certificates);
    const open = artifacts.filter(({ isSecret }) => !isSecret);
    expect(open.map(({ name }) => name)).toEqual(['metadata.json']);
  });

  it('are public when each cluster has an authority of its own', async () => {
    const { artifacts } = await makeWith(SCRIPT, sampleInstallRequest({}, 5));
    const open = artifacts.filter(({ isSecret }) => !isSecret);
    expect(open.map(({ name }) => name)).toContain('master.ign');
  });
});

it('credentials of an input are those of registries, of URLs and of power controls', () => {
  const credentials = [{ hostname: 'master-0', username: 'admin', password: 'p"1' }];
  expect(
    credentialsIn({
      pullSecret: '{"auths":{"quay.io":{"auth":"YTpi","email":"you@example.com"}}}',
      proxy: { httpsProxy: 'https://me:a@b@proxy:1/', noProxy: 'me@example.com' },
      controlPlane: { fencing: { credentials } },
    }),
  ).toEqual(['YTpi', 'me:a@b', 'p"1']);
  expect(credentialsIn({ pullSecret: '{"auths"' })).toEqual(['{"auths"']);
});
