import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { connectNatsRequests } from '@muster/adapter-nats';
import { COLLECTIONS } from '@muster/assisted-api';
import { openGateway } from '@muster/service-gateway';
import { START_OF_STORE } from '@muster/ports';
import { embeddedSettings, startNatsServer, temporaryDirectory } from '@muster/testing';
import { startEmbedded } from '@muster/service-muster';

export interface CanaryWorld {
  /** `METHOD /pattern` of all routes of the gateway. */
  readonly routes: readonly string[];
  /** Address of the gateway. */
  readonly endpoint: string;
  readonly imageEndpoint: string;
  readonly log: readonly string[];
  /** All messages on the bus. */
  readonly messages: readonly { readonly subject: string; readonly body: string }[];
  facts(): Promise<string>;
  readModels(): Promise<string>;
  metrics(): Promise<string>;
  /** Names and bytes of all files. */
  files(): readonly { readonly name: string; readonly text: string }[];
  close(): Promise<void>;
}

/** All services with a SQLite file and an observed bus, and a log of all levels. */
export async function openCanaryWorld(): Promise<CanaryWorld> {
  const directory = temporaryDirectory();
  const nats = await startNatsServer();
  const listener = await connectNatsRequests({ servers: nats.url, name: 'canary' });
  const messages: { subject: string; body: string }[] = [];
  listener.subscribe('>', ({ subject, body, headers }) => {
    messages.push({ subject, body: JSON.stringify([body, headers]) });
  });
  await listener.flush();
  const log: string[] = [];
  const keep = (...words: unknown[]): void => void log.push(words.map(String).join(' '));
  const logger = { log: keep, error: keep, warn: keep, debug: keep, verbose: keep, fatal: keep };
  const muster = await startEmbedded({ ...embeddedSettings(directory.path), NATS_URL: nats.url }, logger);
  // Starts a replica of the gateway, because only its creator can list the routes.
  const { service, routes } = await openGateway(
    { ...muster.platform, environment: { ...muster.platform.environment, REST_PORT: '0' } },
    logger,
  );
  const endpoints = muster.services.flatMap((one) => one.endpoints).filter((endpoint) => endpoint.startsWith('http'));
  return {
    routes: routes
      .all()
      .flatMap(({ pattern, methods }) => methods.map((method) => `${method} ${pattern}`))
      .filter((route) => !/^(?:HEAD|OPTIONS) /.test(route)),
    endpoint: service.endpoints[0] ?? '',
    imageEndpoint: muster.services.find(({ name }) => name === 'image')?.endpoints[0] ?? '',
    log,
    messages,
    facts: async () => {
      const pages: string[] = [];
      for await (const page of muster.platform.eventStore.readAll(START_OF_STORE)) pages.push(JSON.stringify(page));
      return pages.join('\n');
    },
    readModels: async () => {
      const found = Object.values(COLLECTIONS).map((collection) =>
        muster.platform.readModels.find({ collection, where: {} }),
      );
      return JSON.stringify(await Promise.all(found));
    },
    metrics: async () => {
      const texts = await Promise.all(endpoints.map(async (endpoint) => (await fetch(`${endpoint}/metrics`)).text()));
      return texts.join('\n');
    },
    files: () =>
      readdirSync(directory.path, { recursive: true, encoding: 'utf8' })
        .map((name) => join(directory.path, name))
        .filter((path) => statSync(path).isFile())
        .map((path) => ({ name: relative(directory.path, path), text: readFileSync(path, 'latin1') })),
    close: async () => {
      await service.close();
      await muster.close();
      await listener.close();
      await nats.stop();
      directory.remove();
    },
  };
}
