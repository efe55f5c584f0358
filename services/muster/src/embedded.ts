import { join, resolve } from 'node:path';
import { type Environment, readFileSetting, type RunningService, SettingsReader } from '@muster/nest-kit';
import { isOneOf, keysOf } from '@muster/schema';
import type { LoggerService } from '@nestjs/common';
import { busTls } from './bus-access';
import { lockDataDirectory, lockService } from './data-directory';
import { lockImageDirectory, prepareBaseImages } from './host-files';
import { freePort, type NatsProcess, startNats } from './nats-process';
import { announceGateway, Gateways } from './outages';
import { type OpenPlatform, openPlatform } from './profile';
import { startInThread } from './service-thread';
import { coresOf, threadedServices } from './threads';
import { checkSettings, SERVICES, type StartableService } from './services';

export interface RunningMuster {
  readonly services: readonly RunningService[];
  readonly platform: OpenPlatform;
  close(): Promise<void>;
}

/**
 * Starts all services in this process, some of them in threads of their own, with one SQLite file, one directory, and a `nats-server` child process unless
 * NATS_URL is set. `instrument` may wrap the ports, to count calls or to inject faults.
 */
export async function startEmbedded(
  given: Environment,
  logger: LoggerService,
  instrument: (platform: OpenPlatform) => OpenPlatform = (platform) => platform,
): Promise<RunningMuster> {
  // An empty value counts as not set, so it must not replace a value of this start.
  const environment: Environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  checkSettings(environment, keysOf(SERVICES), false);
  const settings = new SettingsReader(environment);
  const dataDirectory = resolve(settings.get('MUSTER_DATA_DIRECTORY'));
  const lock = lockDataDirectory(dataDirectory, 'all services', 'exclusive');
  const nats = await ownBus(settings, dataDirectory, logger);
  const options = {
    environment: {
      ...(nats && {
        NATS_TRUST_FILE: nats.trustFile,
        ...(nats.caFile && { NATS_CA_FILE: nats.caFile }),
        AGENT_NATS_URL: settings.get('AGENT_NATS_URL') ?? nats.url,
      }),
      ...(await prepareBaseImages(settings, dataDirectory, (text) => logger.warn(text))),
      // As in the deployments of assisted-service: the operator and the pod of config/onprem.
      ENABLE_SINGLE_NODE_DNSMASQ: 'true',
      ...environment,
      ...(await chooseFreePorts(settings)),
      ...(nats && { NATS_URL: nats.url }),
    },
    dataDirectory,
    natsUrl: nats?.url ?? settings.get('NATS_URL') ?? '',
    natsCredentials: nats ? nats.serviceCredentials : readFileSetting(settings, 'NATS_CREDENTIALS_FILE'),
    isChildBus: nats !== undefined,
  };
  const opened = await openPlatform({ ...options, name: 'muster', warn: (text: string) => logger.warn(text) });
  const platform = instrument(throughGateways(opened));
  const { gateway, ...others } = SERVICES;
  const threaded = threadedServices(coresOf(settings));
  const behind = await Promise.all(
    keysOf(others).map((name) =>
      isOneOf(threaded, name) ? startInThread({ name, platform: options }, logger) : others[name](platform, logger),
    ),
  );
  // The REST endpoint opens last, so that a request finds all services running.
  const endpoint = await gateway(platform, logger);
  const endAnnouncing = announceGateway(opened.requests);
  return {
    services: [...behind, endpoint],
    platform,
    close: async () => {
      platform.giveUp();
      endAnnouncing();
      // It closes first, because the services still answer the requests that it accepted.
      await endpoint.close();
      await Promise.all(behind.map((service) => service.close()));
      await platform.close();
      await nats?.stop();
      lock.release();
    },
  };
}

/** Hosts poll through a gateway. */
function throughGateways(platform: OpenPlatform): OpenPlatform {
  const gateways = new Gateways(platform.requests);
  const reachableSinceMs = (): number =>
    Math.max(gateways.availableSinceMs, platform.reachableSinceMs?.() ?? -Infinity);
  return { ...platform, reachableSinceMs };
}

/** Starts one service. The settings name the resources that the services share. */
export async function startAlone(
  name: StartableService,
  environment: Environment,
  logger: LoggerService,
): Promise<RunningMuster> {
  checkSettings(environment, [name], true);
  const settings = new SettingsReader(environment);
  const dataDirectory = resolve(settings.get('MUSTER_DATA_DIRECTORY'));
  const lock = lockDataDirectory(dataDirectory, name, 'shared');
  const serviceLock = lockService(dataDirectory, name, !settings.get('EVENTSTORE_URL'));
  const isStoring = name === 'image' && settings.get('OS_IMAGES_FETCH') !== 'stream';
  const images = isStoring ? lockImageDirectory(settings, dataDirectory) : undefined;
  const opened = await openPlatform({
    environment: { ...environment, ...(images && { DATA_DIR: images.path }) },
    dataDirectory,
    natsUrl: settings.get('NATS_URL') ?? '',
    natsCredentials: readFileSetting(settings, 'NATS_CREDENTIALS_FILE'),
    name,
    warn: (text) => logger.warn(text),
  });
  // Only registration counts the time of hosts.
  const platform = name === 'registration' ? throughGateways(opened) : opened;
  const service = await SERVICES[name](platform, logger);
  const endAnnouncing = name === 'gateway' ? announceGateway(platform.requests) : undefined;
  return {
    services: [service],
    platform,
    close: async () => {
      platform.giveUp();
      endAnnouncing?.();
      await service.close();
      await platform.close();
      images?.lock.release();
      serviceLock?.release();
      lock.release();
    },
  };
}

const PORTS = [
  ['REST_PORT', 'REST_HOST'],
  ['IMAGE_PORT', 'IMAGE_HOST'],
  ['HTTP_LISTEN_PORT', 'IMAGE_HOST'],
] as const;

/** A port for each endpoint whose port is 0. It is chosen before the services start, because other services name it in URLs. */
async function chooseFreePorts(settings: SettingsReader): Promise<Environment> {
  const free = PORTS.filter(([port]) => settings.get(port) === 0).map(
    async ([port, host]) => [port, String(await freePort(settings.get(host)))] as const,
  );
  return Object.fromEntries(await Promise.all(free));
}

async function ownBus(
  settings: SettingsReader,
  dataDirectory: string,
  logger: LoggerService,
): Promise<NatsProcess | undefined> {
  if (settings.get('NATS_URL')) return undefined;
  return startNats({
    directory: join(dataDirectory, 'nats'),
    host: settings.get('NATS_HOST'),
    port: settings.get('NATS_PORT'),
    otherPorts: PORTS.flatMap(([port]) => settings.get(port) ?? []),
    tls: busTls(settings),
    onExit: (text) => logger.warn(text),
  });
}
