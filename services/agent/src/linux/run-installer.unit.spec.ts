import { parseStepArgs } from '../steps/step-args';
import { recorded } from './recorded-commands.fixture.spec';
import { runInstaller } from './run-installer';

const ORDER = parseStepArgs.install([
  JSON.stringify({
    role: 'worker',
    cluster_id: 'c',
    infra_env_id: 'i',
    host_id: 'h',
    boot_device: '/dev/sda',
    controller_image: 'quay.io/controller:1',
    installer_image: 'quay.io/installer:1',
  }),
]);

it('the container of the installer does not receive the signal that ends the agent', async () => {
  const { lines, run } = recorded({ podman: '' });
  const settings = { serviceUrl: 'http://a', infraEnvId: 'i', agentVersion: 'v', token: '', isInsecure: false };
  const options = { settings, run, root: '/none', architecture: 'x86_64', executablePath: undefined };
  await runInstaller(ORDER, options, new AbortController().signal);
  expect(lines.at(-1)).toMatch(/^podman run .* --sig-proxy=false .* quay\.io\/installer:1 --role worker /);
});
