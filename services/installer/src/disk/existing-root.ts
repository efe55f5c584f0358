import { execute, withRetry } from '../host.port';
import { type Installation, reportStage } from '../installation';
import { proxyEnvironment } from '../settings';

const NODE_IMAGE_REF = 'coreos/node-image';
const STATEROOT = 'install';
/** The registry can fail for a moment. */
const DEPLOY_RETRY = { tries: 3, intervalMs: 1_000 };
const FIRST_BOOT_KARGS = ['--karg', '$ignition_firstboot', '--karg', 'ignition.platform.id=metal'];

/** Deploys the operating system image beside the one from which the host runs. No disk is written. */
export async function installOnExistingRoot(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, ignitionPath, settings } = installation;
  await reportStage(installation, 'Writing image to disk', '', signal);
  const environment = proxyEnvironment(settings);
  const run = (...command: string[]): Promise<string> => execute(host, command, signal, { environment });
  for (const mount of ['/sysroot', '/boot']) await run('mount', mount, '-o', 'remount,rw');
  if (await host.exists(`/ostree/repo/refs/heads/${NODE_IMAGE_REF}`)) {
    await run('ostree', 'refs', '--delete', NODE_IMAGE_REF);
    await run('touch', '/ostree/repo/tmp/node-image');
  }
  // An installation that failed has left it on the disk, and ostree fails when it exists.
  if (!(await host.exists(`/ostree/deploy/${STATEROOT}`))) await run('ostree', 'admin', 'stateroot-init', STATEROOT);
  const deploy = [
    ...['ostree', 'container', 'image', 'deploy', '--stateroot', STATEROOT, '--sysroot', '/'],
    ...['--authfile', '/root/.docker/config.json', ...FIRST_BOOT_KARGS, '--image', settings.coreosImage],
  ];
  await withRetry(() => run(...deploy), { ...DEPLOY_RETRY, sleep: installation.timer.sleep }, signal);
  await run('ostree', 'admin', 'finalize-staged');
  const { appended, deleted, copiesNetwork } = readKargs(settings.installerArgs);
  if (appended.length + deleted.length > 0) {
    const kargs = [
      ...appended.flatMap((karg) => ['--append', karg]),
      ...deleted.flatMap((karg) => ['--delete-if-present', karg]),
    ];
    await run('rpm-ostree', 'kargs', '--os', STATEROOT, ...kargs);
    await run('ostree', 'admin', 'finalize-staged');
  }
  // A connection that was removed since an installation that failed would give the new system a second address.
  if (copiesNetwork)
    await run('rsync', '-av', '--delete', '/etc/NetworkManager/system-connections/', '/boot/coreos-firstboot-network/');
  await run('mkdir', '-p', '/boot/ignition');
  await run('cp', ignitionPath, '/boot/ignition/config.ign');
  await run('touch', '/boot/ignition.firstboot');
}

/** Returns the arguments of coreos-installer that also apply without it. */
export function readKargs(args: readonly string[]) {
  const valuesOf = (flag: string): string[] =>
    args.flatMap((arg, index) => {
      if (arg.startsWith(`${flag}=`)) return [arg.slice(flag.length + 1)];
      return arg === flag ? (args[index + 1] ?? []) : [];
    });
  return {
    appended: valuesOf('--append-karg'),
    deleted: valuesOf('--delete-karg'),
    copiesNetwork: args.some((arg) => arg === '--copy-network' || arg === '-n'),
  };
}
