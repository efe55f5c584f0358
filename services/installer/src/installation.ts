import { HttpRefused, type ServiceApi, type Timer } from '@muster/host-api';
import { type IgnitionConfig, isIgnitionConfig } from '@muster/ignition-config';
import type { ClusterApi } from '@muster/ports';
import { errorMessage, parseJson } from '@muster/schema';
import type { Host } from './host.port';
import type { InstallerSettings } from './settings';

/** Stages of the v2 API. */
export type Stage =
  | 'Starting installation'
  | 'Waiting for control plane'
  | 'Waiting for bootkube'
  | 'Waiting for controller'
  | 'Installing'
  | 'Writing image to disk'
  | 'Copying registry data to disk'
  | 'Rebooting'
  | 'Waiting for ignition'
  | 'Configuring'
  | 'Joined'
  | 'Failed';

export interface InstallerOptions {
  readonly settings: InstallerSettings;
  readonly host: Host;
  readonly api: ServiceApi;
  /**
   * Connects to the API of the new cluster.
   * @throws when the kubeconfig cannot be used
   */
  readonly openCluster: (kubeconfig: string) => ClusterApi;
  /**
   * Returns the body of a response with status 200.
   * @throws for other responses
   */
  readonly fetchConfig: (request: ConfigRequest, signal: AbortSignal) => Promise<Buffer>;
  readonly timer: Timer;
  /** For a host without a usable name. */
  readonly newId: () => string;
  readonly observe?: (entry: InstallerLogEntry) => void;
}

/** A request for the configuration of a pool. `caPem`: the only trusted authority. */
export interface ConfigRequest {
  readonly url: string;
  readonly caPem?: string;
  readonly accept: string;
}

export type InstallerLogEntry =
  | { readonly type: 'phase'; readonly phase: string }
  | { readonly type: 'stage'; readonly hostId: string; readonly stage: Stage; readonly info: string }
  | { readonly type: 'note'; readonly text: string };

/** One run of the installer. The phases set the members below `device`. */
export interface Installation extends InstallerOptions {
  /** Path without symbolic links of `/dev/disk`. */
  device: string;
  /** File with the Ignition config for the disk. */
  ignitionPath: string;
  /** Ends the work that runs beside the phases. */
  readonly background: AbortController;
}

/** Folder of the installer in the live system. */
export const INSTALL_FOLDER = '/opt/install-dir';

export const isBootstrap = ({ settings }: Installation): boolean => settings.role === 'bootstrap';
export const isSingleNode = ({ settings }: Installation): boolean =>
  settings.role === 'bootstrap' && settings.controlPlaneCount === 1;
export const isMultiNodeBootstrap = (installation: Installation): boolean =>
  isBootstrap(installation) && !isSingleNode(installation);
export const isWorker = ({ settings }: Installation): boolean => settings.role === 'worker';

export const note = (installation: Pick<InstallerOptions, 'observe'>, text: string): void =>
  installation.observe?.({ type: 'note', text });

/**
 * Reports a stage of this host. A failure is logged and does not end the installation, as in assisted-installer.
 * @throws when `signal` is aborted meanwhile, so that the phase ends
 */
export async function reportStage(
  installation: Installation,
  stage: Stage,
  info: string,
  signal: AbortSignal,
): Promise<void> {
  const { hostId, infraEnvId } = installation.settings;
  try {
    await reportStageOf(installation, { hostId, infraEnvId }, stage, info, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    note(installation, `The stage "${stage}" of host ${hostId} was not reported: ${errorMessage(error)}`);
  }
}

/** Longest wait for the reports of a program that has ended. */
const LATE_REPORTS_MS_MAX = 60_000;

/** Reports the percentages of a stage that `add` receives, one after the other. `end` waits for them at most one minute. */
export function createProgressReports(
  installation: Installation,
  stage: Stage,
  signal: AbortSignal,
): { add(percent: number): void; end(): Promise<void> } {
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  let reports: Promise<void> = Promise.resolve();
  return {
    add: (percent) => {
      const report = (): Promise<void> => reportStage(installation, stage, `${percent}%`, until);
      reports = reports.then(report).catch(() => undefined);
    },
    end: async () => {
      await Promise.race([reports, installation.timer.sleep(LATE_REPORTS_MS_MAX, until)]);
      ending.abort();
    },
  };
}

/** Maximum length of the information about a stage that the service accepts. */
const INFO_CHARS_MAX = 2_048;

/**
 * Reports a stage of any host of the cluster. The end of a long `info` is cut. A refusal is logged.
 * @throws ServiceUnreachable
 */
export async function reportStageOf(
  installation: Pick<InstallerOptions, 'api' | 'observe'>,
  host: { readonly hostId: string; readonly infraEnvId: string },
  stage: Stage,
  info: string,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const accepted = info.slice(0, INFO_CHARS_MAX).toWellFormed();
  try {
    await installation.api.reportHostProgress(host, stage, accepted, signal);
    installation.observe?.({ type: 'stage', hostId: host.hostId, stage, info: accepted });
  } catch (error) {
    if (!(error instanceof HttpRefused)) throw error;
    note(installation, `The service refused the stage "${stage}" of host ${host.hostId}: ${error.reason}`);
  }
}

/**
 * Waits until `isTrue` returns true, with an interval of `intervalMs`. Failures of `isTrue` are logged and count as
 * false.
 */
export async function waitUntil(
  installation: Pick<InstallerOptions, 'timer' | 'observe'>,
  what: string,
  intervalMs: number,
  isTrue: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  let lastReason = '';
  while (!signal.aborted) {
    try {
      if (await isTrue()) return;
    } catch (error) {
      if (signal.aborted) return;
      const reason = errorMessage(error);
      if (reason !== lastReason) note(installation, `Waiting for ${what}: ${reason}`);
      lastReason = reason;
    }
    await installation.timer.sleep(intervalMs, signal);
  }
}

/**
 * Parses an Ignition config.
 * @throws when it is missing or not valid, with the content found
 */
export function parseIgnition(bytes: Buffer | undefined, what: string): IgnitionConfig {
  if (!bytes) throw new Error(`The Ignition config ${what} does not exist.`);
  const config = parseJson(bytes.toString('utf8'));
  if (config === undefined) throw new Error(`The Ignition config ${what} is not JSON.`);
  if (!isIgnitionConfig(config)) throw new Error(`The Ignition config ${what} has no ignition.version.`);
  return config;
}

/** Downloads the pointer config of this host. */
export async function fetchHostIgnition(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, host, settings } = installation;
  const { hostId, infraEnvId } = settings;
  // The bootstrap host becomes a control plane node.
  const role = settings.role === 'bootstrap' ? 'master' : settings.role;
  const bytes = await api.hostIgnition({ hostId, infraEnvId }, signal);
  const path = `${INSTALL_FOLDER}/${role}-${hostId}.ign`;
  parseIgnition(bytes, path);
  await host.writeFile(path, bytes);
  installation.ignitionPath = path;
}
