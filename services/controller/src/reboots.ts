import type { ServiceHost } from '@muster/host-api';
import { type Controller, note } from './controller';

const TRIES = 10;
const RETRY_MS = 15_000;

/** Adds an event with the number of times that a node rebooted during the installation. */
export async function countReboots(
  controller: Controller,
  host: ServiceHost,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  const { api, host: machine, settings, timer } = controller;
  try {
    const kubeconfig = await machine.writeTemporary(
      'kubeconfig',
      await api.credentials(settings.clusterId, 'kubeconfig-noingress', signal),
    );
    for (let tried = 1; tried <= TRIES && !signal.aborted; tried += 1) {
      const args = [`--kubeconfig=${kubeconfig}`, 'debug', `node/${node}`, '--', 'chroot', '/host', 'last', 'reboot'];
      const { exitCode, output } = await machine.run('oc', args, signal);
      if (exitCode === 0) {
        const reboots = output.split('\n').filter((line) => line.startsWith('reboot ')).length;
        return await api.createEvent(
          {
            cluster_id: settings.clusterId,
            host_id: host.id,
            infra_env_id: host.infra_env_id,
            name: 'reboots_for_node',
            category: 'user',
            severity: 'info',
            message: `Node ${node} has been rebooted ${reboots} times before completing installation`,
          },
          signal,
        );
      }
      await timer.sleep(RETRY_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) note(controller, `The reboots of ${node} were not counted: ${(error as Error).message}`);
  }
}
