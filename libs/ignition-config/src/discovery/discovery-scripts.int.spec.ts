import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { IgnitionConfig } from '../config/ignition-config';
import { readTextFile } from '../config/ignition-file';
import { renderDiscoveryIgnition } from './render-discovery-ignition';
import { sampleDiscovery } from './sample-discovery.fixture.spec';

const succeeds = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const hasSystemd = succeeds('systemd-analyze', '--version') && existsSync('/lib/systemd/system/basic.target');
const hasNamespaces = succeeds('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/opt');

const plain = sampleDiscovery({
  ntp: { sources: 'ntp.example.com', additionalSources: '' },
  proxy: { httpProxy: 'http://proxy:3128', httpsProxy: '', noProxy: '' },
});
const okd = renderDiscoveryIgnition({ ...plain, okd: { packagesImage: "quay.io/okd/rpms'" } });
const CONFIGS: readonly (readonly [string, IgnitionConfig])[] = [
  ['a live image of OpenShift', renderDiscoveryIgnition(plain)],
  ['a live image of OKD', okd],
  [
    'an image with static networks',
    renderDiscoveryIgnition({
      ...plain,
      staticNetwork: {
        form: 'nmpolicy',
        delaySeconds: 5,
        hosts: [{ mapping: [{ mac: '02:00:00:00:00:01', name: 'eth0' }], files: [] }],
      },
    }),
  ],
];

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'discovery-scripts-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
};

(hasSystemd ? describe : describe.skip)(`systemd${hasSystemd ? '' : ' (skipped: it is not installed)'}`, () => {
  it.each(CONFIGS)('accepts each unit of %s', (_, config) => {
    const units = (config.systemd?.units ?? []).filter(({ contents }) => contents);
    cpSync('/lib/systemd/system', join(folder, 'usr/lib/systemd/system'), { recursive: true, verbatimSymlinks: true });
    for (const { name, contents = '' } of units) {
      write(join(folder, 'etc/systemd/system', name), contents);
      // Only the live system contains the programs.
      for (const [, program = ''] of contents.matchAll(/^Exec\w+=[-+@:!]*(\/\S+)/gm))
        write(join(folder, program), '', 0o755);
    }
    write(join(folder, 'usr/lib/systemd/system/nmstate.service'), '[Service]\nExecStart=/usr/bin/true\n');
    const names = units.map(({ name }) => name);
    expect(names).toContain('agent.service');
    const args = ['verify', `--root=${folder}`, '--man=no', '--recursive-errors=no', ...names];
    const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

const GIB = 1024 ** 3;
const NAMESPACES = `mount namespace${hasNamespaces ? '' : ' (skipped: unshare --mount is not permitted)'}`;

(hasNamespaces ? describe : describe.skip)(`the packages of OKD in a ${NAMESPACES}`, () => {
  /** Runs the script with writable folders of its own and stand-ins of the programs of the live system. */
  function run(ephemeralBytes: number, manifests: string): { readonly calls: string; readonly left: string } {
    const calls = join(folder, 'calls');
    write(calls, '');
    const standIn = (name: string, body = ''): void =>
      write(join(folder, 'bin', name), `#!/bin/bash\necho "${name} $*" >>${calls}\n${body}\n`, 0o755);
    standIn(
      'podman',
      `case "$1" in
  pull) [ -e ${folder}/pulled ] || { touch ${folder}/pulled; exit 125; } ;;
  create) echo the-container ;;
  cp) case "$2" in
    *:/rpms) mkdir "$3"; touch "$3/kubelet.rpm" ;;
    *) ${manifests} ;;
  esac ;;
esac`,
    );
    standIn('rpm', 'touch /usr/bin/kubelet-of-okd');
    standIn('losetup', 'case "$1" in --associated) echo /dev/loop0 ;; esac');
    for (const name of ['xfs_growfs', 'systemctl', 'sleep']) standIn(name);
    write(join(folder, 'script'), readTextFile(okd, '/usr/local/bin/okd-binaries.sh') ?? '', 0o755);
    const result = join(folder, 'result');
    const steps = [
      'set -euo pipefail',
      `for place in /opt /var /run /root; do mount -t tmpfs -o size=1M tmpfs "$place"; done`,
      'mkdir /var/tmp /root/.docker',
      'echo secret >/root/.docker/config.json',
      `truncate -s ${ephemeralBytes} /run/ephemeral.xfsloop`,
      `PATH=${folder}/bin:$PATH ${folder}/script`,
      `cat /var/lib/kubelet/config.json >${result}`,
      `stat -c %s /run/ephemeral.xfsloop >>${result}`,
      `findmnt --noheadings --output SIZE --bytes /run >>${result}`,
      `ls /usr/bin/kubelet-of-okd /opt/openshift/openshift >>${result}`,
    ];
    const { status, stderr } = spawnSync('unshare', ['--mount', 'bash', '-c', steps.join('\n')], { encoding: 'utf8' });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    return { calls: readFileSync(calls, 'utf8'), left: readFileSync(result, 'utf8') };
  }

  it('are installed over a read-only /usr, with manifests, the pull secret of the kubelet and a larger /var', () => {
    const { calls, left } = run(GIB, 'touch "$3/manifest.yaml"');
    expect(left).toBe(
      [
        'secret',
        6 * GIB,
        6 * GIB,
        '/usr/bin/kubelet-of-okd',
        '',
        '/opt/openshift/openshift:',
        'manifest.yaml',
        '',
      ].join('\n'),
    );
    expect(calls).toContain("podman pull --quiet quay.io/okd/rpms'\nsleep 10\npodman pull --quiet quay.io/okd/rpms'\n");
    expect(calls).toContain('losetup -c /dev/loop0\nxfs_growfs /var\n');
    expect(existsSync('/usr/bin/kubelet-of-okd')).toBe(false);
  });

  it('may have no manifests, and a /var that is large enough is not changed', () => {
    const { calls, left } = run(7 * GIB, 'exit 125');
    expect(left.split('\n').slice(0, 3)).toEqual(['secret', String(7 * GIB), String(1024 ** 2)]);
    expect(calls).not.toContain('losetup');
  });
});

describe('the user data of Oracle Cloud', () => {
  const config = renderDiscoveryIgnition(plain);

  /** Runs the script on a machine with this chassis tag, against a metadata service with this answer. */
  async function run(tag: string, status: number, body: string) {
    const server = createServer((request, response) => {
      response.writeHead(request.headers.authorization === 'Bearer Oracle' ? status : 401).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    write(join(folder, 'tag'), tag);
    const script = (readTextFile(config, '/usr/local/bin/oci-eval-user-data.sh') ?? '')
      .replace('/sys/class/dmi/id/chassis_asset_tag', join(folder, 'tag'))
      .replace('http://169.254.169.254', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      .replace('--retry 5', '--retry 0');
    write(join(folder, 'script'), script, 0o755);
    const unit = config.systemd?.units?.find(({ name }) => name === 'oci-eval-user-data.service')?.contents ?? '';
    const [name = '', value = ''] = (/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').split('=');
    const result = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
      execFile(join(folder, 'script'), { env: { ...process.env, [name]: value } }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      ),
    );
    server.close();
    return result;
  }
  const encode = (text: string): string => Buffer.from(text).toString('base64');

  it('runs there with the variable of the discovery system', async () => {
    const body = encode('echo "discovery=$ASSISTED_INSTALLER_DISCOVERY_ENV unset=[$nothing]"');
    expect(await run('OracleCloud.com', 200, body)).toEqual({ code: 0, stdout: 'discovery=1 unset=[]\n', stderr: '' });
  });

  it('is not read on other machines, and a machine without user data is not an error', async () => {
    expect(await run('Dell', 200, encode('echo ran'))).toMatchObject({ code: 0, stdout: '' });
    expect(await run('OracleCloud.com', 404, '404 Not Found')).toMatchObject({ code: 0, stdout: '' });
  });

  it.each([
    [500, encode('echo ran'), 'answered with status 500'],
    [200, '*', 'is not base64'],
  ])('is read again by systemd after a failure with status %d', async (status, body, reason) => {
    const failed = await run('OracleCloud.com', status, body);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain(reason);
    const unit = config.systemd?.units?.find(({ name }) => name === 'oci-eval-user-data.service')?.contents;
    expect(unit).toContain('Restart=on-failure');
  });
});
