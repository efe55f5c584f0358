import {
  attempt,
  type Environment,
  imageEndpoint,
  readCertificates,
  SettingError,
  type SettingName,
  SETTINGS,
  SettingsError,
  SettingsReader,
  type StartService,
} from '@muster/nest-kit';
import { isOneOf, keysOf } from '@muster/schema';
import { readEventsConfig, startEvents } from '@muster/service-events';
import { readGatewayConfig, startGateway } from '@muster/service-gateway';
import { readIgnitionConfig, startIgnition } from '@muster/service-ignition';
import { readImageConfig, startImage } from '@muster/service-image';
import { readInventoryConfig, startInventory } from '@muster/service-inventory';
import { readRegistrationConfig, startRegistration } from '@muster/service-registration';
import { readFlapPolicy, readValidationConfig, startValidation } from '@muster/service-validation';
import { busTls, openBusProblems, readBusCredentials } from './bus-access';

/** All services. The order reduces waiting at start; any other order works too. */
export const SERVICES = {
  events: startEvents,
  registration: startRegistration,
  inventory: startInventory,
  validation: startValidation,
  ignition: startIgnition,
  image: startImage,
  gateway: startGateway,
} as const satisfies Record<string, StartService>;

export type StartableService = keyof typeof SERVICES;

const READERS: Readonly<Record<StartableService, readonly ((environment: Environment) => unknown)[]>> = {
  events: [readEventsConfig],
  registration: [readRegistrationConfig],
  inventory: [readInventoryConfig],
  validation: [readValidationConfig, readFlapPolicy],
  ignition: [readIgnitionConfig],
  image: [readImageConfig],
  gateway: [readGatewayConfig],
};

/**
 * Settings that a service requires when it runs alone. Without them it would use resources that no other service
 * shares.
 */
const NEEDED_ALONE: readonly {
  readonly name: SettingName;
  readonly services?: readonly StartableService[];
  readonly expected: string;
}[] = [
  { name: 'NATS_URL', expected: 'the URL of the NATS server of all services' },
  { name: 'MUSTER_DATA_DIRECTORY', expected: 'the directory that all services share' },
  { name: 'MONGODB_URL', services: ['events', 'gateway'], expected: 'the MongoDB server with the read models' },
];

/**
 * Checks the settings of the program and of the services before anything is opened.
 * @throws SettingsError with all values that are missing or not valid
 */
export function checkSettings(environment: Environment, names: readonly StartableService[], isAlone: boolean): void {
  const settings = new SettingsReader(environment);
  for (const name of keysOf(SETTINGS)) if (isOneOf(SETTINGS[name].readBy, 'muster')) settings.get(name);
  readBusCredentials(settings);
  readCertificates(settings, 'NATS_CA_FILE');
  const missing = NEEDED_ALONE.filter(
    ({ name, services }) =>
      isAlone && !settings.isSet(name) && (!services || services.some((one) => names.includes(one))),
  ).map(({ name, expected }) => new SettingError(name, '', `${expected}. A service that runs alone needs it`).message);
  const ofServices = names.flatMap((name) =>
    READERS[name].flatMap((read) => attempt(() => read(environment)).problems),
  );
  const open = names.includes('ignition') ? openBusProblems(settings) : [];
  const ofBus = isAlone || settings.isSet('NATS_URL') ? [] : attempt(() => busTls(settings)).problems;
  const ports = equalPorts(new SettingsReader(environment), names, isAlone);
  const problems = [...new Set([...missing, ...settings.problems, ...ofServices, ...ofBus, ...open, ...ports])];
  if (problems.length > 0) throw new SettingsError(problems);
}

/**
 * Endpoints of one process with the same port, of which the second could not open. Wrong values of `settings` are reported by the services
 * that read them.
 */
function equalPorts(settings: SettingsReader, names: readonly StartableService[], isAlone: boolean): readonly string[] {
  const hasTls = imageEndpoint(settings).scheme === 'https';
  const hasPlain = settings.isSet('HTTP_LISTEN_PORT');
  const endpoints = [
    { isOpened: names.includes('gateway'), name: 'REST_PORT', host: 'REST_HOST' },
    { isOpened: names.includes('image') && (hasTls || !hasPlain), name: 'IMAGE_PORT', host: 'IMAGE_HOST' },
    { isOpened: names.includes('image') && hasPlain, name: 'HTTP_LISTEN_PORT', host: 'IMAGE_HOST' },
    { isOpened: !isAlone && !settings.isSet('NATS_URL'), name: 'NATS_PORT', host: 'NATS_HOST' },
  ] as const;
  const opened = endpoints
    .filter(({ isOpened }) => isOpened)
    .map(({ name, host }) => ({ name, port: settings.get(name), host: settings.get(host) }))
    // The system selects a free port.
    .filter(({ port }) => port !== 0);
  if (settings.problems.length > 0) return [];
  return opened.flatMap((one, index) =>
    opened
      .slice(index + 1)
      .filter((other) => other.port === one.port && overlap(one.host, other.host))
      .map((other) => `${one.name} and ${other.name} are both ${one.port}. Set each to a port of its own.`),
  );
}

/** 0.0.0.0 contains every IPv4 address, and :: contains every address. */
const overlap = (one: string, other: string): boolean =>
  one === other ||
  [one, other].includes('::') ||
  ([one, other].includes('0.0.0.0') && ![one, other].some((host) => host.includes(':')));
