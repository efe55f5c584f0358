import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseInstallFlags } from '../settings';
import { controllerManifests } from './controller-manifests';

const CA_PATH = '/etc/assisted-service/service-ca-cert.crt';
const PROGRAM = '#!/bin/sh\necho "running $1"\n';
const SHA256 = createHash('sha256').update(PROGRAM).digest('hex');
const URL = `https://192.0.2.1:8888/host-binaries/x86_64?sha256=${SHA256}`;

interface PodSpec {
  readonly containers: readonly [
    {
      readonly image: string;
      readonly command?: readonly string[];
      readonly securityContext: object;
      readonly volumeMounts: readonly { name: string; mountPath: string }[];
    },
  ];
  readonly volumes: readonly object[];
}

/** Returns the pod of the controller for an installer with these flags. */
function podWith(...flags: string[]): PodSpec {
  const required = ['--cluster-id', 'c', '--host-id', 'h', '--url', 'https://192.0.2.1:8090', '--boot-device', 'd'];
  const program = ['--host-binary-path', '/p', '--host-binary-url', URL, '--host-binary-sha256', SHA256];
  const manifests = controllerManifests(parseInstallFlags([...required, ...program, ...flags], {}));
  const job = JSON.parse(manifests.get('assisted-installer-controller-pod.yaml') ?? '') as {
    spec: { template: { spec: PodSpec } };
  };
  return job.spec.template.spec;
}

describe('the pod of the controller', () => {
  it('has the certificate authority of the service from its node', () => {
    const { containers, volumes } = podWith('--cacert', CA_PATH);
    expect(volumes).toContainEqual({ name: 'service-ca', hostPath: { path: CA_PATH } });
    expect(containers[0].volumeMounts).toContainEqual({ name: 'service-ca', mountPath: CA_PATH });
  });

  it('has no such volume when the service has a public certificate', () => {
    expect(JSON.stringify(podWith())).not.toContain('service-ca');
  });
});

describe('the program of the controller', () => {
  it.each(['muster-host:1', ''])('is the executable when its image is %p', (image) => {
    const [{ command, ...container }] = podWith('--mco-image', 'quay.io/mco:1', '--controller-image', image).containers;
    expect(container.image).toBe('quay.io/mco:1');
    expect(command?.at(-1)).toContain(URL);
  });

  it('is a container image beside the executable', () => {
    const [{ command, image }] = podWith('--controller-image', 'quay.io/controller:1').containers;
    expect(image).toBe('quay.io/controller:1');
    expect(command).toBeUndefined();
  });
});

it('lets the controller run the programs of its node', () => {
  const { containers, volumes } = podWith();
  const mount = containers[0].volumeMounts.find(({ mountPath }) => mountPath === '/host');
  expect(volumes).toContainEqual({ name: mount?.name, hostPath: { path: '/' } });
  expect(containers[0].securityContext).toEqual({ privileged: true });
});

describe('the files for the logs of the controller', () => {
  it.each([
    ['/tmp/var-run-resolv.conf', '/var/run/NetworkManager/resolv.conf'],
    ['/tmp/host-resolv.conf', '/etc/resolv.conf'],
  ])('include %s from the node', (mountPath, path) => {
    const { containers, volumes } = podWith();
    const mount = containers[0].volumeMounts.find((one) => one.mountPath === mountPath);
    expect(volumes).toContainEqual({ name: mount?.name, hostPath: { path } });
  });
});

describe('the script of the controller', () => {
  const folder = mkdtempSync(join(tmpdir(), 'controller-script-'));
  const host = join(folder, 'host');
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    for (const name of ['host', 'log']) rmSync(join(folder, name), { recursive: true, force: true });
  });

  const program = (name: string, ...lines: string[]): void => {
    writeFileSync(join(folder, name), ['#!/bin/bash', ...lines, ''].join('\n'));
    chmodSync(join(folder, name), 0o755);
  };
  /** Runs the script with a curl of these lines. Returns its output and its calls of programs. */
  const runWith = (curl: readonly string[], ...flags: string[]) => {
    const log = join(folder, 'log');
    program('curl', `echo "curl $* (proxy \${https_proxy:-none}, not for \${no_proxy:-none})" >>${log}`, ...curl);
    program('sleep', `echo "sleep $*" >>${log}`);
    const [, , command = ''] = podWith(...flags).containers[0].command ?? [];
    // Kubernetes replaces $(NAME) with a variable of the container, and reads $$ as one dollar sign.
    const script = command.replace(/\$\$|\$\(CLUSTER_ID\)/g, (found) => (found === '$$' ? '$' : 'c'));
    const output = execFileSync('/bin/bash', ['-c', script.replaceAll('/host/', `${host}/`)], {
      env: { PATH: [folder, process.env['PATH']].join(delimiter) },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { output, calls: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [] };
  };
  const file = join(host, 'var/lib/muster/muster-host');
  const SUCCEEDS = [`cat >${file} <<'EOF'\n${PROGRAM}EOF`];
  const limits = '--connect-timeout 30 --speed-limit 1 --speed-time 60';
  const options = `--silent --show-error --fail --location ${limits} --output ${file}`;

  it('downloads the program once, and runs it', () => {
    const { calls, output } = runWith(SUCCEEDS);
    expect(output).toBe('running controller\n');
    expect(calls).toEqual([`curl ${options} ${URL} (proxy none, not for none)`]);
  });

  it('trusts the certificate authority of the service, then those of the node', () => {
    const { calls } = runWith(['case "$*" in *--cacert*) exit 60 ;; esac', ...SUCCEEDS], '--cacert', CA_PATH);
    expect(calls).toEqual([
      `curl ${options} --cacert ${CA_PATH} ${URL} (proxy none, not for none)`,
      `curl ${options} ${URL} (proxy none, not for none)`,
    ]);
  });

  it('accepts every certificate when the installation does', () => {
    expect(runWith(SUCCEEDS, '--insecure').calls).toEqual([
      `curl --silent --show-error --fail --location ${limits} --insecure --output ${file} ${URL} (proxy none, not for none)`,
    ]);
  });

  it('downloads the program again when the service stopped without closing the connection', () => {
    const once = join(folder, 'host', 'tried');
    const { calls } = runWith([
      `[ -e ${once} ] || { touch ${once}; case "$*" in *'${limits}'*) exit 28 ;; esac; echo "waits without end" >&2; kill $PPID; }`,
      ...SUCCEEDS,
    ]);
    const download = `curl ${options} ${URL} (proxy none, not for none)`;
    expect(calls).toEqual([download, 'sleep 5', download]);
  });

  it('uses the proxy of the installation', () => {
    const proxy = "http://user:it's$$a$(CLUSTER_ID)@192.0.2.9:3128";
    const { calls } = runWith(SUCCEEDS, '--https-proxy', proxy, '--no-proxy', 'localhost,.svc');
    expect(calls).toEqual([`curl ${options} ${URL} (proxy ${proxy}, not for localhost,.svc)`]);
  });

  it('waits before each further download, also when the file has another digest', () => {
    const once = join(folder, 'host', 'tried');
    const { calls } = runWith([`[ -e ${once} ] || { touch ${once}; echo old >${file}; exit 0; }`, ...SUCCEEDS]);
    const download = `curl ${options} ${URL} (proxy none, not for none)`;
    expect(calls).toEqual([download, 'sleep 5', download]);
  });
});
