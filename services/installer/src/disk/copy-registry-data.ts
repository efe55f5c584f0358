import { execute } from '../host.port';
import { type Installation, note, reportStage } from '../installation';
import { partitionOf } from './partitions';

const REGISTRY_MARK = '/run/media/iso/registry';
const SOURCE = '/mnt/agentdata';
const ROOT_MOUNT = '/mnt/root';
const TARGET = `${ROOT_MOUNT}/ostree/deploy/rhcos/var/lib/iri-registry`;
/** The copy and what grows around it need this many times its size. */
const RESERVE_FACTOR = 2.5;
const FREE_SHARE_MIN = 0.01;
const ROOT_PARTITION = 4;
const PROGRESS_STEP_PERCENT = 5;

export const hasRegistryData = ({ host }: Installation): Promise<boolean> => host.exists(REGISTRY_MARK);

/** Copies the registry of an image without network onto the installed disk. */
export async function copyRegistryData(installation: Installation, signal: AbortSignal): Promise<void> {
  const { device, host } = installation;
  await reportStage(installation, 'Copying registry data to disk', '', signal);
  const bytes = Number((await execute(host, ['du', '-sb', SOURCE], signal)).split(/\s/)[0]);
  const diskBytes = Number((await execute(host, ['blockdev', '--getsize64', device], signal)).trim());
  const reserve = Math.ceil(bytes * RESERVE_FACTOR);
  if (!(reserve <= diskBytes * (1 - FREE_SHARE_MIN)))
    throw new Error(
      `The registry data needs ${reserve} bytes, and the disk ${device} has ${diskBytes}. Use a larger disk.`,
    );
  const partition = partitionOf(device, ROOT_PARTITION);
  await execute(host, ['growpart', device, String(ROOT_PARTITION)], signal).catch((error: Error) =>
    note(installation, `The root partition did not grow: ${error.message}`),
  );
  await execute(host, ['mkdir', '-p', ROOT_MOUNT], signal);
  await execute(host, ['mount', partition, ROOT_MOUNT], signal);
  try {
    await execute(host, ['xfs_growfs', ROOT_MOUNT], signal);
    await execute(host, ['mkdir', '-p', TARGET], signal);
    await copy(installation, signal);
  } finally {
    await execute(host, ['umount', ROOT_MOUNT], signal);
  }
}

async function copy(installation: Installation, signal: AbortSignal): Promise<void> {
  let reported = 0;
  let reports: Promise<void> = Promise.resolve();
  const command = ['rsync', '-ah', '--info=progress2', `${SOURCE}/`, `${TARGET}/`];
  await execute(installation.host, command, signal, {
    onLine: (line) => {
      const percent = Number(/(\d+)%/.exec(line)?.[1] ?? NaN);
      if (!(percent >= reported + PROGRESS_STEP_PERCENT || (percent === 100 && reported < 100))) return;
      reported = percent;
      reports = reports.then(() => reportStage(installation, 'Copying registry data to disk', `${percent}%`, signal));
    },
  }).finally(() => reports);
}
