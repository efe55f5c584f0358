import { parseStepArgs } from '../steps/step-args';
import { recorded } from './recorded-commands.fixture.spec';
import { isInstallerRunning, runInstaller } from './run-installer';

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

/** Runs the installer of a machine, and returns the command lines. */
const install = async (): Promise<readonly string[]> => {
  const { lines, run } = recorded({ podman: '' });
  const settings = { serviceUrl: 'http://a', infraEnvId: 'i', agentVersion: 'v', token: '', isInsecure: false };
  const options = { settings, run, root: '/none', architecture: 'x86_64', executablePath: undefined };
  await runInstaller(ORDER, options, new AbortController().signal);
  return lines;
};

it('the container of the installer does not receive the signal that ends the agent', async () => {
  const lines = await install();
  expect(lines.at(-1)).toMatch(/^podman run .* --sig-proxy=false .* quay\.io\/installer:1 --role worker /);
});

it('the container of an earlier installation does not keep the installer from starting', async () => {
  const lines = await install();
  // Podman refuses to remove a container that runs.
  expect(lines.at(-2)).toBe('podman rm -i assisted-installer');
  expect(lines.at(-1)).toMatch(/^podman run .* --name=assisted-installer /);
});

it.each([
  ['of version 2 of control groups', 'system.slice', true],
  ['of version 1 of control groups', 'systemd/system.slice', true],
  ['of another slice', 'user.slice', false],
])(
  'an installer runs while its unit has a folder %s, also when systemd does not answer',
  async (_, slice, isRunning) => {
    const silent = { exitCode: 124, stdout: '' };
    const { run } = recorded({ systemctl: silent, podman: silent });
    const files = { exists: (path: string) => path === `/sys/fs/cgroup/${slice}/muster-installer.service` };
    expect(await isInstallerRunning(files, run, new AbortController().signal)).toBe(isRunning);
  },
);
