import { execute, withRetry } from '../host.port';
import { type Installation, reportStage } from '../installation';
import { proxyEnvironment } from '../settings';

const TRIES = 3;
const RETRY_MS = 1_000;
/** Progress is reported in steps of this many percent. */
const PROGRESS_STEP_PERCENT = 5;
const PROGRESS = /\((\d+)(?:\.\d+)?%\)/;

/** Writes the operating system and the Ignition config with coreos-installer, reporting its progress. */
export async function writeDisk(installation: Installation, signal: AbortSignal): Promise<void> {
  await reportStage(installation, 'Writing image to disk', '', signal);
  const { sleep } = installation.timer;
  await withRetry(
    () => runCoreosInstaller(installation, signal),
    { tries: TRIES, intervalMs: RETRY_MS, sleep },
    signal,
  );
}

async function runCoreosInstaller(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, settings, ignitionPath, device } = installation;
  const command = ['coreos-installer', 'install', '--insecure', '-i', ignitionPath, ...settings.installerArgs, device];
  let reported = 0;
  let reports: Promise<void> = Promise.resolve();
  await execute(host, command, signal, {
    environment: proxyEnvironment(settings),
    onLine: (line) => {
      const percent = percentOf(line);
      if (percent === undefined || (percent < reported + PROGRESS_STEP_PERCENT && percent !== 100)) return;
      if (percent === reported) return;
      reported = percent;
      reports = reports.then(() => reportStage(installation, 'Writing image to disk', `${percent}%`, signal));
    },
  }).finally(() => reports);
}

/** Reads lines such as `Read disk 53.8 MiB/1.1 GiB (4%)`. */
export function percentOf(line: string): number | undefined {
  const percent = PROGRESS.exec(line)?.[1];
  return percent === undefined ? undefined : Number(percent);
}
