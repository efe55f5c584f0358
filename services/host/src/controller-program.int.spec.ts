import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { readProxySettings } from '@muster/host-api';
import { ClusterApiError, type ClusterApi, type KubeObject } from '@muster/ports';
import { openPodHost, proxyOfCluster } from './controller-program';
import { runHostProgram } from './host-program';

const { signal } = new AbortController();
const NODE_FOLDER = '/var/lib/muster/controller';
/** Enters a root folder as far as a program without privileges can: the program gets the folder in ROOT. */
const CHROOT = ['export ROOT="$1"', 'program="$2"', 'shift 2', 'exec "$ROOT$program" "$@"'];
/** Prints the manifest of "apply -f <file>", and writes a file for "adm must-gather --dest-dir=<folder>". */
const OC = [
  'case "$*" in',
  '  *apply*) for file; do :; done; cat "$ROOT$file" ;;',
  '  *must-gather*) folder="$ROOT${3#--dest-dir=}"; mkdir -p "$folder"; echo gathered >"$folder/timestamp" ;;',
  '  *) echo "no such node" >&2; exit 3 ;;',
  'esac',
];

let folder: string;
let pod: string;
let node: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'controller-program-'));
  [pod, node] = [join(folder, 'pod'), join(folder, 'node')];
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (path: string, lines: readonly string[]): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ['#!/bin/bash', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
};
const open = (archiveBytesMax?: number) =>
  openPodHost({ PATH: [pod, '/usr/bin', '/bin'].join(delimiter) }, node, archiveBytesMax);

describe('a controller in an image without oc', () => {
  beforeEach(() => {
    program(join(pod, 'chroot'), CHROOT);
    program(join(node, 'usr/bin/oc'), OC);
  });

  it('runs oc of its node, with files that oc can read', async () => {
    const host = open();
    const file = await host.writeTemporary('50-storage cluster.yaml', 'kind: StorageCluster\n');
    expect(file).toBe(`${NODE_FOLDER}/50-storage_cluster.yaml`);
    expect(statSync(join(node, file)).mode & 0o777).toBe(0o600);
    expect(await host.oc(['apply', '-f', file], signal)).toEqual({ exitCode: 0, output: 'kind: StorageCluster\n' });
  });

  it('archives a folder that oc wrote on the node', async () => {
    const host = open();
    const target = `${host.folder}/must-gather`;
    await host.oc(['adm', 'must-gather', `--dest-dir=${target}`], signal);
    const archive = await host.archive(target, signal);
    expect(execFileSync('tar', ['-xzO', './timestamp'], { input: archive, encoding: 'utf8' })).toBe('gathered\n');
  });

  it.each([
    [1, 'tar: ./timestamp: file changed as we read it', 'gathered\n'],
    [2, 'tar: ./timestamp: Cannot stat: Input/output error', undefined],
  ])('archives a folder that changes meanwhile, but not one that cannot be read: %d', async (code, warning, text) => {
    program(join(pod, 'tar'), ['PATH=/usr/bin:/bin tar "$@"', `echo '${warning}' >&2`, `exit ${code}`]);
    const host = open();
    const target = `${host.folder}/must-gather`;
    await host.oc(['adm', 'must-gather', `--dest-dir=${target}`], signal);
    const archive = await host.archive(target, signal).catch(() => undefined);
    const found = archive && execFileSync('tar', ['-xzO', './timestamp'], { input: archive, encoding: 'utf8' });
    expect(found).toBe(text);
  });

  it('keeps no archived folder, because the next archive would have its files too', async () => {
    const host = open();
    const target = `${host.folder}/must-gather`;
    await host.oc(['adm', 'must-gather', `--dest-dir=${target}`], signal);
    writeFileSync(join(node, target, 'of the first run'), '');
    await host.archive(target, signal);
    expect(readdirSync(join(node, host.folder))).toEqual([]);
    await host.oc(['adm', 'must-gather', `--dest-dir=${target}`], signal);
    const input = await host.archive(target, signal);
    const names = execFileSync('tar', ['-tz'], { input, encoding: 'utf8' });
    expect(names.trim().split('\n')).toEqual(['./', './timestamp']);
  });

  it('does not read an archive that the service would refuse into memory', async () => {
    const host = open(2 * 1024 ** 2);
    const target = `${host.folder}/must-gather`;
    await host.oc(['adm', 'must-gather', `--dest-dir=${target}`], signal);
    writeFileSync(join(node, target, 'etcd.log'), randomBytes(4 * 1024 ** 2));
    await expect(host.archive(target, signal)).rejects.toThrow(
      'its archive has 4 MiB, and the service accepts logs of at most 2 MiB',
    );
    expect(readdirSync(join(node, host.folder))).toEqual([]);
  });

  it('replaces a file that a program reads', async () => {
    const host = open();
    const path = join(node, await host.writeTemporary('kubeconfig', 'first'));
    const reader = openSync(path, 'r');
    await host.writeTemporary('kubeconfig', 'second');
    expect([readFileSync(reader, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['first', 'second']);
    closeSync(reader);
  });

  it('returns the exit code of oc and its errors', async () => {
    expect(await open().oc(['debug'], signal)).toEqual({ exitCode: 3, output: 'no such node\n' });
  });

  it('removes its files from the node, also those of a controller that was killed', async () => {
    const kubeconfig = join(node, await open().writeTemporary('kubeconfig', 'secret'));
    const next = open();
    expect(existsSync(kubeconfig)).toBe(false);
    await next.writeTemporary('kubeconfig', 'secret');
    expect(readFileSync(kubeconfig, 'utf8')).toBe('secret');
    next.close();
    expect(existsSync(join(node, NODE_FOLDER))).toBe(false);
    expect(existsSync(join(node, 'usr/bin/oc'))).toBe(true);
  });
});

describe('a controller in an image with oc', () => {
  it('runs this oc and leaves no file on its node', async () => {
    program(join(pod, 'oc'), OC);
    program(join(node, 'usr/bin/oc'), ['exit 9']);
    const host = open();
    const file = await host.writeTemporary('a.yaml', 'kind: A\n');
    expect(await host.oc(['apply', '-f', file], signal)).toEqual({ exitCode: 0, output: 'kind: A\n' });
    expect(existsSync(join(node, 'var'))).toBe(false);
    host.close();
    expect(existsSync(file)).toBe(false);
  });
});

it('reports oc as missing when neither the image nor the node has it', async () => {
  const host = openPodHost({ PATH: pod }, node);
  const { exitCode, output } = await host.oc(['apply'], signal);
  host.close();
  expect(exitCode).toBe(127);
  expect(output).toBe('oc: command not found. The controller needs oc in its image or at /usr/bin/oc of its node.');
});

describe('the proxy of the cluster', () => {
  const settings = { httpProxy: 'http://192.0.2.3:3128', noProxy: '.cluster.local' };
  /** Returns the answers one after the other, the last one again and again. */
  const read = async (...answers: readonly (KubeObject | Error | undefined)[]) => {
    const notes: string[] = [];
    let calls = 0;
    const get: ClusterApi['get'] = async () => {
      const answer = answers[Math.min(calls++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const options = { timer: { sleep: async () => undefined }, onFailure: (reason: string) => void notes.push(reason) };
    return { proxy: await proxyOfCluster({ get }, options, signal), notes };
  };

  it('is read again after an error, because the service is behind it', async () => {
    const found = { metadata: { name: 'cluster' }, status: settings };
    const { notes, proxy } = await read(new ClusterApiError(0, 'no answer'), new ClusterApiError(403, 'no'), found);
    expect(proxy).toEqual({ ...settings, httpsProxy: '' });
    expect(notes).toEqual(['no answer', 'no']);
  });

  it('is that of the environment when the cluster has none', async () => {
    expect(await read(undefined)).toEqual({ notes: [], proxy: readProxySettings(process.env) });
  });
});

it('fails when it is stopped, so that its Job starts it again', async () => {
  const given = process.env;
  const lines: string[] = [];
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return process.emit('SIGTERM');
  });
  writeFileSync(join(folder, 'ca.crt'), '');
  writeFileSync(join(folder, 'token'), 'token');
  process.env = {
    ...given,
    CLUSTER_ID: 'c',
    INVENTORY_URL: 'http://127.0.0.1:1',
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: '1',
    SERVICE_ACCOUNT_FOLDER: folder,
  };
  try {
    await expect(runHostProgram(['controller'])).rejects.toThrow('The controller was stopped.');
  } finally {
    output.mockRestore();
    process.env = given;
  }
  expect(lines).not.toEqual([]);
});
