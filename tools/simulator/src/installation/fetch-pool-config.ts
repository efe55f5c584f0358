import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { fromDataUrl, type IgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import type { MachineConfigServer } from '../world/machine-config-server';
import { readIgnition } from './ignition';

const TIMEOUT_MS = 10_000;

/**
 * A config with everything that it refers to, as Ignition fetches it on first boot: it believes only the authorities that
 * the config names. The server of the simulated cluster keeps the name of the URL, whatever its ports are.
 */
export async function withFetched(config: IgnitionConfig, server: MachineConfigServer): Promise<IgnitionConfig> {
  const authorities = config.ignition.security?.tls?.certificateAuthorities ?? [];
  const ca = authorities.flatMap(({ source }) => fromDataUrl(source) ?? []);
  let merged = config;
  for (const { source } of config.ignition.config?.merge ?? [])
    merged = mergeIgnition(
      merged,
      readIgnition(await fetchPoolConfig(new URL(source), ca, server), `the pool at ${new URL(source).pathname}`),
    );
  return merged;
}

export function fetchPoolConfig(
  url: URL,
  ca: readonly string[],
  { tlsPort, plainPort }: MachineConfigServer,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`Ignition could not fetch ${url.href}: ${reason}`));
    const isTls = url.protocol === 'https:';
    const asking = (isTls ? tlsRequest : plainRequest)(
      {
        host: '127.0.0.1',
        port: isTls ? tlsPort : plainPort,
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
          resolve(Buffer.concat(chunks));
        });
      },
    );
    asking.on('timeout', () => asking.destroy(new Error('no answer in time.')));
    asking.on('error', (error) => fail(error.message));
    asking.end();
  });
}
