import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { kubernetesClusterApi, readKubeconfig } from '@muster/adapter-kubernetes';
import {
  createHttpClient,
  createServiceApi,
  INSTALLER_RETRIES,
  NO_RETRIES,
  readProxySettings,
  realTimer,
} from '@muster/host-api';
import { linuxHost, parseInstallFlags, runInstaller, type InstallerLogEntry } from '@muster/service-installer';

const LOG_LINE_MAX = 2_000;
const say = (text: string): void =>
  void process.stderr.write(`${new Date().toISOString()} ${text.slice(0, LOG_LINE_MAX)}\n`);

/**
 * Installs this machine.
 * @throws InstallationFailed, or Error with the name of the invalid flag
 */
export async function runInstallProgram(args: readonly string[]): Promise<void> {
  const settings = parseInstallFlags(args, process.env);
  const ending = new AbortController();
  process.once('SIGTERM', () => ending.abort());
  process.once('SIGINT', () => ending.abort());
  const caPem = settings.caPath ? readFileSync(settings.caPath, 'utf8') : undefined;
  const api = createServiceApi(
    {
      serviceUrl: settings.serviceUrl,
      token: settings.token,
      agentVersion: settings.logSender.kind === 'container' ? settings.logSender.image : 'muster-host',
      caPem,
      isInsecure: settings.isInsecure,
      proxy: readProxySettings(process.env),
      onRetry: (failure, delayMs) => say(`${failure.message} Trying again in ${Math.round(delayMs / 1_000)} s.`),
    },
    INSTALLER_RETRIES,
    realTimer,
  );
  try {
    await runInstaller(
      {
        settings,
        host: linuxHost,
        api,
        openCluster: (kubeconfig) => kubernetesClusterApi(readKubeconfig(kubeconfig)),
        fetchConfig,
        timer: realTimer,
        newId: randomUUID,
        observe: (entry) => say(toLine(entry)),
      },
      ending.signal,
    );
    if (ending.signal.aborted) throw new Error('The installation was stopped.');
  } finally {
    api.close();
  }
}

async function fetchConfig(
  { accept, caPem, url }: { readonly url: string; readonly caPem?: string; readonly accept: string },
  signal: AbortSignal,
): Promise<Buffer> {
  const { origin, pathname, search } = new URL(url);
  const client = createHttpClient({ baseUrl: origin, caPem, retries: NO_RETRIES, timer: realTimer });
  try {
    return (await client.call({ method: 'GET', path: pathname + search, headers: { accept } }, signal)).body;
  } finally {
    client.close();
  }
}

function toLine(entry: InstallerLogEntry): string {
  switch (entry.type) {
    case 'phase':
      return `phase: ${entry.phase}`;
    case 'stage':
      return `host ${entry.hostId}: ${entry.stage}${entry.info ? ` (${entry.info})` : ''}`;
    case 'note':
      return entry.text;
    default:
      return entry satisfies never;
  }
}
