import { execute } from './host.port';
import { type Installation, isSingleNode, reportStage } from './installation';

const SHUTDOWN_MESSAGE = 'Installation completed, server is going to reboot.';

/** Reports the reboot and orders it with a delay, so that the install step can still be answered. */
export async function finish(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host } = installation;
  const units = await execute(host, ['systemctl', 'list-units', '--no-legend', 'ironic-agent.service'], signal);
  if (units.trim() !== '') {
    await reportStage(installation, 'Rebooting', 'Ironic will reboot the node shortly', signal);
    await execute(host, ['systemctl', 'stop', 'agent.service'], signal);
    return;
  }
  await reportStage(installation, 'Rebooting', '', signal);
  const when = isSingleNode(installation) ? 'now' : '+1';
  await execute(host, ['shutdown', '-r', when, SHUTDOWN_MESSAGE], signal);
}
