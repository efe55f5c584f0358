import { createTarGz } from '@muster/host-api';
import { type IgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import { StepFailed } from '@muster/service-agent';
import { DURATIONS_MS, INTERVALS_MS } from '../durations';
import { poolConfigs } from '../scratch-root/pool-configs';
import { followBootstrap, startBootstrap } from './bootstrap';
import { readIgnition } from './ignition';
import { reportStage, type Installation } from './installation';

/** Reports of the disk come in steps of this many percent. */
const WRITE_STEP_PERCENT = 5;
/** A worker waits until this much of the control plane stands. */
const CONTROL_PLANE_DONE_MIN = 2;

/**
 * What the host installer does, in its order, up to the reboot:
 * 1. start; 2. on the bootstrap host, bring up the temporary control plane; 3. fetch the configuration; 4. write the disk;
 * 5. wait for those that must come first; 6. send the logs; 7. say that it reboots.
 * Resolves with what the disk was written with. Throws StepFailed after reporting the stage Failed.
 */
export async function runInstaller(installation: Installation, signal: AbortSignal): Promise<IgnitionConfig> {
  try {
    return await install(installation, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    await reportStage(installation, 'Failed', reason, signal);
    throw new StepFailed(`The installation failed: ${reason}`, 1);
  }
}

async function install(installation: Installation, signal: AbortSignal): Promise<IgnitionConfig> {
  const { api, host, order, timer, path } = installation;
  await reportStage(installation, 'Starting installation', order.role, signal);
  await timer.work(DURATIONS_MS.preparation, signal);
  const ending = new AbortController();
  try {
    if (path === 'bootstrap') await startBootstrap(installation, AbortSignal.any([signal, ending.signal]));
    await reportStage(installation, 'Installing', order.role, signal);
    const inPlace = path === 'single-node' ? await bootstrapInPlace(installation, signal) : undefined;
    const own = readIgnition(await api.hostIgnition(host, signal), 'the ignition of this host');
    await writeDisk(installation, signal);
    if (path === 'worker') await waitForControlPlane(installation, signal);
    if (path === 'bootstrap') await followBootstrap(installation, signal);
    await sendLogs(installation, order.clusterId, signal);
    await reportStage(installation, 'Rebooting', '', signal);
    return inPlace ? mergeIgnition(inPlace, withoutSources(own)) : own;
  } finally {
    ending.abort();
  }
}

/** What a single node is written with fetches nothing. */
const withoutSources = ({ ignition: { config: _, ...ignition }, ...rest }: IgnitionConfig): IgnitionConfig => ({
  ...rest,
  ignition,
});

/** Resolves with the config of the control plane's pool, as the bootstrap left it. */
async function bootstrapInPlace(installation: Installation, signal: AbortSignal): Promise<IgnitionConfig> {
  const { timer, cluster, world } = installation;
  const root = await startBootstrap(installation, signal);
  await reportStage(installation, 'Waiting for bootkube', '', signal);
  await timer.work(DURATIONS_MS.bootkube, signal);
  cluster.isBootstrapped = true;
  world.changed();
  const config = poolConfigs(root).get('master');
  if (!config) throw new Error('Bootstrapping left no configuration for the disk.');
  return config;
}

async function writeDisk(installation: Installation, signal: AbortSignal): Promise<void> {
  await reportStage(installation, 'Writing image to disk', '', signal);
  for (let percent = WRITE_STEP_PERCENT; percent <= 100 && !signal.aborted; percent += WRITE_STEP_PERCENT) {
    await installation.timer.work(DURATIONS_MS.writeStep, signal);
    await reportStage(installation, 'Writing image to disk', `${percent}%`, signal, percent / 100);
  }
}

async function waitForControlPlane(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, order, timer } = installation;
  await reportStage(installation, 'Waiting for control plane', '', signal);
  // Its control plane runs already, and need not be known to the service.
  if ((await api.cluster(order.clusterId, false, signal)).kind === 'AddHostsCluster') return;
  while (!signal.aborted) {
    const masters = await api.hostsOfRole(order.clusterId, 'master', signal);
    const done = masters.filter(({ progress }) => progress?.current_stage === 'Done').length;
    if (done >= CONTROL_PLANE_DONE_MIN) return;
    await timer.polls.sleep(INTERVALS_MS.otherHosts, signal);
  }
}

/** The logs of the live system are gone after the reboot. A failure here costs the logs, not the installation. */
export async function sendLogs(
  { api, host, timer, observer }: Pick<Installation, 'api' | 'host' | 'timer' | 'observer'>,
  clusterId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await api.reportHostLogs(host, 'requested', signal);
    await api.reportHostLogs(host, 'collecting', signal);
    await timer.work(DURATIONS_MS.logsGathering, signal);
    const bundle = createTarGz({
      'agent.logs': `${host.hostname}: simulated agent\n`,
      'installer.logs': `${host.hostname}: simulated installer\n`,
    });
    await api.uploadHostLogs(clusterId, host, bundle, signal);
    await api.reportHostLogs(host, 'completed', signal);
  } catch (error) {
    if (signal.aborted) return;
    observer.onTrouble?.(host, `the logs were not sent: ${error instanceof Error ? error.message : String(error)}`);
  }
}
