import { retryUntilDone, type ServiceApi, type Timer } from '@muster/host-api';
import type { ClusterApi } from '@muster/ports';
import { errorMessage } from '@muster/schema';

/** The settings of the controller, from the environment of its Job. */
export interface ControllerSettings {
  readonly clusterId: string;
  readonly serviceUrl: string;
  readonly token: string;
  readonly isInsecure: boolean;
  readonly caPem?: string;
  readonly openshiftVersion: string;
  readonly controlPlaneCount: number;
  readonly checksClusterVersion: boolean;
  /** Image reference, or a JSON object of image references by operator; `ocp` is the default. */
  readonly mustGatherImage: string;
  readonly notifiesReboots: boolean;
}

/** A setting of the controller is missing or not valid. */
export class BadControllerSettings extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BadControllerSettings';
  }
}

export const TOKEN_FILE = '/etc/assisted-installer-controller/token';

/** Reads the environment of the Job. `readFile` returns undefined when a file does not exist. @throws BadControllerSettings */
export function readControllerSettings(
  environment: { readonly [name: string]: string | undefined },
  readFile: (path: string) => string | undefined,
): ControllerSettings {
  const required = (name: string): string => {
    const value = environment[name];
    if (!value) throw new BadControllerSettings(`The environment variable ${name} is not set.`);
    return value;
  };
  const flag = (name: string): boolean => {
    const value = environment[name] ?? '';
    if (!['', 'true', 'false', '1', '0'].includes(value))
      throw new BadControllerSettings(`${name} is "${value}". Allowed: true, false.`);
    return value === 'true' || value === '1';
  };
  const count = Number(environment['CONTROL_PLANE_COUNT'] || DEFAULT_CONTROL_PLANE_COUNT);
  if (!Number.isInteger(count) || count < 1)
    throw new BadControllerSettings(
      `CONTROL_PLANE_COUNT is "${environment['CONTROL_PLANE_COUNT']}". Use a whole number from 1.`,
    );
  const caPath = environment['CA_CERT_PATH'];
  const caPem = caPath ? readFile(caPath) : undefined;
  if (caPath && caPem === undefined)
    throw new BadControllerSettings(`CA_CERT_PATH names ${caPath}, which cannot be read.`);
  return {
    clusterId: required('CLUSTER_ID'),
    serviceUrl: required('INVENTORY_URL'),
    openshiftVersion: environment['OPENSHIFT_VERSION'] ?? '',
    token: (readFile(TOKEN_FILE) ?? environment['PULL_SECRET_TOKEN'] ?? '').trim(),
    isInsecure: flag('SKIP_CERT_VERIFICATION'),
    caPem,
    controlPlaneCount: count,
    checksClusterVersion: flag('CHECK_CLUSTER_VERSION'),
    mustGatherImage: environment['MUST_GATHER_IMAGE'] ?? '',
    notifiesReboots: flag('NOTIFY_NUM_REBOOTS'),
  };
}

const DEFAULT_CONTROL_PLANE_COUNT = 3;

/** Programs and files of the node that the controller runs on. */
export interface ControllerHost {
  /** Folder of the temporary files. All paths in it are those that `oc` uses. */
  readonly folder: string;
  /** Runs the client of the cluster. Returns exit code 127 when it does not exist. */
  oc(args: readonly string[], signal: AbortSignal): Promise<{ exitCode: number; output: string }>;
  /** Writes a temporary file and returns its path. */
  writeTemporary(name: string, content: string | Buffer): Promise<string>;
  /** Returns undefined when the file does not exist. */
  readFile(path: string): Promise<Buffer | undefined>;
  /** Returns a `.tar.gz` of a folder of temporary files, and removes the folder. */
  archive(folder: string, signal: AbortSignal): Promise<Buffer>;
}

export type ControllerLogEntry =
  | { readonly type: 'ready' }
  /** A stage of the cluster was reported. */
  | { readonly type: 'finalizing'; readonly stage: string }
  | { readonly type: 'host-stage'; readonly hostId: string; readonly stage: string }
  | { readonly type: 'ended'; readonly status: string }
  | { readonly type: 'note'; readonly text: string };

export interface Controller {
  readonly settings: ControllerSettings;
  readonly api: ServiceApi;
  readonly cluster: ClusterApi;
  readonly host: ControllerHost;
  readonly timer: Timer;
  readonly observe?: (entry: ControllerLogEntry) => void;
}

const SECOND_MS = 1_000;
/** Interval of each loop, in milliseconds. */
export const INTERVALS_MS = {
  ready: SECOND_MS,
  clusterStatus: 60 * SECOND_MS,
  nodes: 30 * SECOND_MS,
  finalizing: 30 * SECOND_MS,
  operators: 60 * SECOND_MS,
  routerCa: 10 * SECOND_MS,
  olmList: 10 * SECOND_MS,
  logs: 5 * 60 * SECOND_MS,
  dnsConflict: 20 * SECOND_MS,
} as const;

const OUTPUT_CHARS_MAX = 500;

type Client = (...args: readonly string[]) => Promise<string>;

/**
 * Returns a function that runs `oc` as an administrator of the cluster and returns its output.
 * The function throws an Error with the end of the output when `oc` fails or does not exist.
 */
export async function openClient(controller: Controller, signal: AbortSignal): Promise<Client> {
  const { api, settings } = controller;
  return clientWith(controller, await api.credentials(settings.clusterId, 'kubeconfig-noingress', signal), signal);
}

/** The kubeconfig of an administrator that each node of the control plane has, under the mount of its root file system. */
const NODE_KUBECONFIG =
  '/host/etc/kubernetes/static-pod-resources/kube-apiserver-certs/secrets/node-kubeconfigs/localhost.kubeconfig';

/** The same without the service. @throws Error when the node has no kubeconfig */
export async function openClientOfNode(controller: Controller, signal: AbortSignal): Promise<Client> {
  const kubeconfig = await controller.host.readFile(NODE_KUBECONFIG);
  if (!kubeconfig) throw new Error(`The file ${NODE_KUBECONFIG} does not exist.`);
  return clientWith(controller, kubeconfig, signal);
}

async function clientWith({ host }: Controller, credentials: Buffer, signal: AbortSignal): Promise<Client> {
  const kubeconfig = await host.writeTemporary('kubeconfig', credentials);
  return async (...args) => {
    const { exitCode, output } = await host.oc([`--kubeconfig=${kubeconfig}`, ...args], signal);
    // The service refuses a status whose text is cut within a character.
    const end = output.slice(-OUTPUT_CHARS_MAX).toWellFormed();
    if (exitCode !== 0) throw new Error(end || `oc ended with exit code ${exitCode}`);
    return output;
  };
}

export const note = ({ observe }: Controller, text: string): void => observe?.({ type: 'note', text });

/** Calls `attempt` until it does not throw. Each error is logged. */
export const persist = (
  controller: Controller,
  what: string,
  intervalMs: number,
  attempt: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> =>
  retryUntilDone(
    attempt,
    { timer: controller.timer, intervalMs, onFailure: (reason) => note(controller, `${what} failed: ${reason}`) },
    signal,
  );

/** Repeats `round` until it returns true. An error is logged and the round repeated. */
export async function repeat(
  controller: Controller,
  what: string,
  intervalMs: number,
  round: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await round()) return;
    } catch (error) {
      if (signal.aborted) return;
      note(controller, `${what} failed: ${errorMessage(error)}`);
    }
    await controller.timer.sleep(intervalMs, signal);
  }
}
