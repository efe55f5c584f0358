import { request } from 'node:https';
import { fromDataUrl, type IgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import { readIgnition } from './ignition';

const TIMEOUT_MS = 10_000;

/**
 * A config with everything that it refers to, as Ignition fetches it on first boot: it believes only the authorities that
 * the config names. `port`: where the server of the simulated cluster listens; its name stays the one of the URL.
 */
export async function withFetched(config: IgnitionConfig, port: number): Promise<IgnitionConfig> {
  const authorities = config.ignition.security?.tls?.certificateAuthorities ?? [];
  const ca = authorities.flatMap(({ source }) => fromDataUrl(source) ?? []);
  let merged = config;
  for (const { source } of config.ignition.config?.merge ?? [])
    merged = mergeIgnition(merged, await fetchConfig(new URL(source), ca, port));
  return merged;
}

function fetchConfig(url: URL, ca: readonly string[], port: number): Promise<IgnitionConfig> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`Ignition could not fetch ${url.href}: ${reason}`));
    if (url.protocol !== 'https:') return fail('only https is served to machines of a simulation.');
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        servername: url.hostname,
        path: url.pathname,
        ca: [...ca],
        agent: false,
        headers: { 'user-agent': 'Ignition/2.20.0', accept: 'application/vnd.coreos.ignition+json;version=3.4.0' },
        timeout: TIMEOUT_MS,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => fail(error.message));
        response.on('end', () => {
          if (response.statusCode !== 200) return fail(`the server answered ${response.statusCode}.`);
          resolve(readIgnition(Buffer.concat(chunks), `the pool at ${url.pathname}`));
        });
      },
    );
    asking.on('timeout', () => asking.destroy(new Error('no answer in time.')));
    asking.on('error', (error) => fail(error.message));
    asking.end();
  });
}
