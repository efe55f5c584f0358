import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { appendFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inClusterConnection, kubernetesClusterApi, readKubeconfig } from '@muster/adapter-kubernetes';
import {
  CONTROLLER_RETRIES,
  createServiceApi,
  KUBE_RESOURCES,
  LOG_BUNDLE_BYTES_MAX,
  readProxySettings,
  realTimer,
  retryUntilDone,
  type ProxySettings,
  type Timer,
} from '@muster/host-api';
import type { ClusterApi, KubeObject } from '@muster/ports';
import { textAt } from '@muster/schema';
import { type ControllerHost, readControllerSettings, runController } from '@muster/service-controller';

/** On a single node this kubeconfig is valid earlier than the service account. */
const BOOTSTRAP_KUBECONFIG = '/tmp/bootstrap-secrets/kubeconfig';
const LOG_FILE = '/tmp/controller_logs.log';
const PROXY_RETRY_MS = 5_000;
const MEBIBYTE = 1024 ** 2;
const OUTPUT_BYTES_MAX = 64 * MEBIBYTE;
const PROGRAM_MISSING_EXIT_CODE = 127;
/** The archive is complete, but a file changed while tar read it. A program that was stopped at its time limit may still write. */
const FILE_CHANGED_EXIT_CODE = 1;
/** The Job mounts the root file system of its node here. */
const NODE_ROOT = '/host';
const NODE_OC = '/usr/bin/oc';
const NODE_FOLDER = '/var/lib/muster/controller';

/**
 * Runs the controller with the settings of its Job.
 * @throws Error when a setting is missing, the cluster API cannot be found, or the controller was stopped
 */
export async function runControllerProgram(): Promise<void> {
  const settings = readControllerSettings(process.env, readText);
  const kubeconfig = readText(BOOTSTRAP_KUBECONFIG);
  const cluster = kubernetesClusterApi(kubeconfig ? readKubeconfig(kubeconfig) : inClusterConnection(process.env));
  const ending = new AbortController();
  process.once('SIGTERM', () => ending.abort());
  const say = (entry: object): void => {
    const line = `${new Date().toISOString()} ${JSON.stringify(entry)}\n`;
    process.stdout.write(line);
    void appendFile(LOG_FILE, line).catch(() => undefined);
  };
  const onFailure = (reason: string): void =>
    say({ type: 'note', text: `The proxy of the cluster was not read: ${reason}` });
  const proxy = await proxyOfCluster(cluster, { timer: realTimer, onFailure }, ending.signal);
  const onRetry = (failure: Error, delayMs: number): void => say({ type: 'retry', reason: failure.message, delayMs });
  const access = { ...settings, agentVersion: 'muster-host', proxy, onRetry };
  const api = createServiceApi(access, CONTROLLER_RETRIES, realTimer);
  const host = openPodHost(process.env, NODE_ROOT);
  try {
    await runController({ settings, api, cluster, host, timer: realTimer, observe: say }, ending.signal);
    // The Job runs the controller again only after a failure.
    if (ending.signal.aborted) throw new Error('The controller was stopped.');
  } finally {
    api.close();
    host.close();
  }
}

/**
 * Returns the proxy settings of the cluster, which its pods do not inherit; those of the environment when the cluster
 * has no proxy. The call is repeated after an error, because the service may be reachable only through the proxy.
 */
export async function proxyOfCluster(
  cluster: Pick<ClusterApi, 'get'>,
  options: { readonly timer: Timer; readonly onFailure: (reason: string) => void },
  signal: AbortSignal,
): Promise<ProxySettings> {
  let found: KubeObject | undefined;
  const read = async (): Promise<void> => {
    found = await cluster.get({ resource: KUBE_RESOURCES.proxies, name: 'cluster' }, signal);
  };
  await retryUntilDone(read, { ...options, intervalMs: PROXY_RETRY_MS }, signal);
  const settingOf = (name: keyof ProxySettings): string => textAt(found, 'status', name) ?? '';
  const [httpProxy, httpsProxy] = [settingOf('httpProxy'), settingOf('httpsProxy')];
  return httpProxy || httpsProxy
    ? { httpProxy, httpsProxy, noProxy: settingOf('noProxy') }
    : readProxySettings(process.env);
}

interface PodHost extends ControllerHost {
  /** Removes the temporary files, because they contain the credentials of the cluster. */
  close(): void;
}

/**
 * Returns the programs and files for the controller. The machine-config image has no `oc`, but each node does: it runs
 * in the file system of the node, so its files are there too.
 */
export function openPodHost(
  environment: { readonly [name: string]: string | undefined },
  nodeRoot: string,
  // A larger archive would be in the memory of a control plane node several times.
  archiveBytesMax = LOG_BUNDLE_BYTES_MAX,
): PodHost {
  const isInContainer = (environment['PATH'] ?? '').split(delimiter).some((place) => existsSync(join(place, 'oc')));
  const usesNode = !isInContainer && lstatSync(join(nodeRoot, NODE_OC), { throwIfNoEntry: false }) !== undefined;
  const [root, command] = usesNode ? [nodeRoot, ['chroot', nodeRoot, NODE_OC]] : ['/', ['oc']];
  const folder = usesNode ? NODE_FOLDER : mkdtempSync(join(tmpdir(), 'controller-'));
  const at = (path: string): string => join(root, path);
  const close = (): void => rmSync(at(folder), { recursive: true, force: true });
  // A controller that was killed has left its files on the node.
  if (usesNode) close();
  mkdirSync(at(folder), { recursive: true, mode: 0o700 });
  let parts = 0;
  return {
    folder,
    close,
    oc: (args, signal) =>
      new Promise((resolve) => {
        const [program = '', ...first] = command;
        const options = { env: environment, maxBuffer: OUTPUT_BYTES_MAX, signal };
        execFile(program, [...first, ...args], options, (error, stdout, stderr) => {
          const isMissing = String(error?.code) === 'ENOENT';
          const exitCode = !error ? 0 : isMissing ? PROGRAM_MISSING_EXIT_CODE : Number(error.code) || 1;
          const missing = `${program}: command not found. The controller needs oc in its image or at ${NODE_OC} of its node.`;
          resolve({ exitCode, output: isMissing ? missing : stdout + stderr });
        });
      }),
    writeTemporary: async (name, content) => {
      const path = join(folder, name.replace(/[^A-Za-z0-9._-]/g, '_'));
      // Another oc may read the file, which would be empty for a moment.
      const part = `${at(path)}.${(parts += 1)}.part`;
      await writeFile(part, content, { mode: 0o600 });
      await rename(part, at(path));
      return path;
    },
    readFile: (path) => readFile(path).catch(() => undefined),
    archive: async (source, signal) => {
      const path = at(join(folder, 'archive.tar.gz'));
      try {
        await new Promise<void>((resolve, reject) =>
          execFile('tar', ['-czf', path, '-C', at(source), '.'], { env: environment, signal }, (error) =>
            error && error.code !== FILE_CHANGED_EXIT_CODE ? reject(error) : resolve(),
          ),
        );
        const { size } = await stat(path);
        if (size > archiveBytesMax)
          throw new Error(
            `its archive has ${Math.round(size / MEBIBYTE)} MiB, and the service accepts logs of at most ${archiveBytesMax / MEBIBYTE} MiB`,
          );
        return await readFile(path);
      } finally {
        await Promise.all([path, at(source)].map((each) => rm(each, { recursive: true, force: true })));
      }
    },
  };
}

const readText = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
